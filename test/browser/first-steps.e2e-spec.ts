import type { Locator } from 'playwright-core';
import { ApiClient } from '../support/api-client';
import { dataOf } from '../support/fixture';
import type { Visitor } from './browser';
import { newDemo, SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(180_000);

let signedIn: SignedIn;
let visitor: Visitor;

/** Each test has an account of its own, without a workspace. */
beforeEach(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor } = signedIn);
});

afterEach(() => signedIn.leave());

/** Deletes the key that a test account has. */
async function forgetKey(): Promise<void> {
  const { app, owner } = signedIn;
  await app.sql.query('DELETE FROM api_keys WHERE id = $1', [owner.keyId]);
}

const steps = (): Locator => visitor.page.getByRole('region', { name: 'Get started' });

const done = (): Locator => steps().getByText('(done)');

it('The first visit leads from a workspace to a call of the new datagrid, with a tick for each step', async () => {
  const { page } = visitor;
  const { origin } = signedIn;
  await forgetKey();
  await visitor.open('/workspaces');
  await steps().getByRole('button', { name: 'New workspace' }).waitFor();
  expect(await done().count()).toBe(0);
  expect(await violationsOn(page)).toEqual([]);

  await steps().getByRole('button', { name: 'New workspace' }).click();
  await page.getByLabel('Name').fill('Logistics');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Logistics' }).waitFor();
  await steps().getByText('Create a workspace (done)').waitFor();
  await steps().getByRole('button', { name: 'Create a datagrid' }).click();
  await page.getByLabel('Name').fill('Trucks');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.waitForURL(/\/datagrids\//);
  const datagridId = new URL(page.url()).pathname.split('/').at(-1) ?? '';

  await visitor.open('/workspaces');
  await steps().getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill('First program');
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const command = steps().getByText(`/api/v1/public/datagrids/${datagridId}/rows?limit=3`);
  const line = (await command.textContent()) ?? '';
  const key = /Bearer (mk_\w+)/.exec(line)?.[1] ?? '';
  expect(line).toBe(
    `curl -H "Authorization: Bearer ${key}" "${origin}/api/v1/public/datagrids/${datagridId}/rows?limit=3"`,
  );
  expect(await done().count()).toBe(2);
  expect(await violationsOn(page)).toEqual([]);

  const api = new ApiClient(origin, key);
  expect(dataOf(await api.get(`/datagrids/${datagridId}`), 200).history).toBe(true);
  expect((await api.get(`/datagrids/${datagridId}/rows`)).status).toBe(200);
  await steps().getByText('Your first call has arrived.').waitFor();
  expect(await done().count()).toBe(3);
  await steps().getByRole('button', { name: 'Close' }).click();
  await visitor.open('/workspaces');
  await page.getByRole('link', { name: 'Logistics' }).first().waitFor();
  expect(await steps().count()).toBe(0);
  expect([...visitor.errors, ...visitor.foreignRequests]).toEqual([]);
});

it('The first steps stay hidden in this browser once they are dismissed', async () => {
  await forgetKey();
  await visitor.open('/workspaces');
  await visitor.page.getByRole('button', { name: 'Dismiss the first steps' }).click();
  await visitor.sees('No workspace yet');
  await visitor.page.reload();
  await visitor.sees('No workspace yet');
  expect(await steps().count()).toBe(0);
});

it('The first steps do not flash for an account that has done them', async () => {
  // Uses the key.
  await newDemo(signedIn.api);
  // Counts whether the panel is in the document at any time.
  await visitor.page.addInitScript(
    `window.seen = 0;
     new MutationObserver(() => {
       if (document.getElementById('first-steps')) window.seen += 1;
     }).observe(document, { childList: true, subtree: true });`,
  );
  await visitor.open('/workspaces');
  await visitor.page.getByRole('link', { name: 'Demo' }).first().waitFor();
  await visitor.page.waitForLoadState('networkidle');
  expect(await visitor.page.evaluate('window.seen')).toBe(0);
});
