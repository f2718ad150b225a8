import type { Browser, Locator } from 'playwright-core';
import { adminJson } from '../cli/admin';
import { ApiClient } from '../support/api-client';
import { dataOf } from '../support/fixture';
import { openBrowser, Visitor } from './browser';
import { freshStart, type FreshStart } from './fresh-start';
import { violationsOn } from './violations';

// Starts a service, a database and a browser.
jest.setTimeout(180_000);

const PASSWORD = 'a password of some length';

let start: FreshStart;
let browser: Browser;

beforeAll(async () => {
  [start, browser] = await Promise.all([freshStart(), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await start.stop();
});

/** Creates an account without anything in it, and signs its owner in. */
async function newOwner(email: string): Promise<Visitor> {
  const { settings } = start.installation;
  await adminJson(settings, 'account', 'create', '--name', email, '--owner-email', email);
  const args = ['user', 'invite', '--email', email] as const;
  const { url } = (await adminJson(settings, ...args)) as { url: string };
  const visitor = await Visitor.arrive(browser, start.origin);
  await visitor.open(new URL(url).pathname);
  await visitor.page.getByLabel('New password').fill(PASSWORD);
  await visitor.page.getByRole('button', { name: 'Set the password and sign in' }).click();
  await visitor.page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
  return visitor;
}

const steps = ({ page }: Visitor): Locator => page.getByRole('region', { name: 'Get started' });

const done = (visitor: Visitor): Locator => steps(visitor).getByText('(done)');

it('The first visit leads from a workspace to a call of the new datagrid, with a tick for each step', async () => {
  const visitor = await newOwner('first@example.com');
  const { page } = visitor;
  await steps(visitor).getByRole('button', { name: 'New workspace' }).waitFor();
  expect(await done(visitor).count()).toBe(0);
  expect(await violationsOn(page)).toEqual([]);

  await steps(visitor).getByRole('button', { name: 'New workspace' }).click();
  await page.getByLabel('Name').fill('Logistics');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Logistics' }).waitFor();
  await steps(visitor).getByText('Create a workspace (done)').waitFor();
  await steps(visitor).getByRole('button', { name: 'Create a datagrid' }).click();
  await page.getByLabel('Name').fill('Trucks');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.waitForURL(/\/datagrids\//);
  const datagridId = new URL(page.url()).pathname.split('/').at(-1) ?? '';

  await visitor.open('/workspaces');
  await steps(visitor).getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name').fill('First program');
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  const command = steps(visitor).getByText(`/api/v1/public/datagrids/${datagridId}/rows?limit=3`);
  const line = (await command.textContent()) ?? '';
  const key = /Bearer (mk_\w+)/.exec(line)?.[1] ?? '';
  expect(line).toBe(
    `curl -H "Authorization: Bearer ${key}" "${start.origin}/api/v1/public/datagrids/${datagridId}/rows?limit=3"`,
  );
  expect(await done(visitor).count()).toBe(2);
  expect(await violationsOn(page)).toEqual([]);

  const created = dataOf(
    await new ApiClient(start.origin, key).get(`/datagrids/${datagridId}`),
    200,
  );
  expect(created.history).toBe(true);
  const { status } = await new ApiClient(start.origin, key).get(`/datagrids/${datagridId}/rows`);
  expect(status).toBe(200);
  await steps(visitor).getByText('Your first call has arrived.').waitFor();
  expect(await done(visitor).count()).toBe(3);
  await steps(visitor).getByRole('button', { name: 'Close' }).click();
  await visitor.open('/workspaces');
  await page.getByRole('link', { name: 'Logistics' }).first().waitFor();
  expect(await steps(visitor).count()).toBe(0);
  expect([...visitor.errors, ...visitor.foreignRequests]).toEqual([]);
  await visitor.leave();
});

it('The first steps stay hidden in this browser once they are dismissed', async () => {
  const visitor = await newOwner('dismissed@example.com');
  await visitor.page.getByRole('button', { name: 'Dismiss the first steps' }).click();
  await visitor.sees('No workspace yet');
  await visitor.page.reload();
  await visitor.sees('No workspace yet');
  expect(await steps(visitor).count()).toBe(0);
  await visitor.leave();
});

it('The first steps do not flash for an account that has done them', async () => {
  const api = new ApiClient(start.origin, start.apiKey);
  expect((await api.get('/me')).status).toBe(200);
  const visitor = await Visitor.arrive(browser, start.origin);
  // Counts whether the panel is in the document at any time.
  await visitor.page.addInitScript(
    `window.seen = 0;
     new MutationObserver(() => {
       if (document.getElementById('first-steps')) window.seen += 1;
     }).observe(document, { childList: true, subtree: true });`,
  );
  await visitor.signIn(start.email, start.password);
  await visitor.open('/workspaces');
  await visitor.page.getByRole('link', { name: 'Demo' }).first().waitFor();
  await visitor.page.waitForLoadState('networkidle');
  expect(await visitor.page.evaluate('window.seen')).toBe(0);
  await visitor.leave();
});
