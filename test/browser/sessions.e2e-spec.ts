import type { Locator } from 'playwright-core';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

let signedIn: SignedIn;
let visitor: Visitor;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor } = signedIn);
});

afterAll(() => signedIn.leave());

const table = (): Locator => visitor.page.getByRole('table', { name: 'Active sessions' });

it('The sessions are a table with device, address and last use, and another one can be signed out', async () => {
  const other = await signedIn.another();
  await visitor.open('/profile/sessions');
  await table().waitFor();
  const heads = await table().getByRole('columnheader').allTextContents();
  expect(heads).toEqual(['Device', 'Address', 'Last active', 'Signed in', 'Actions']);
  const rows = table().getByRole('row');
  expect(await rows.count()).toBe(3);
  const own = rows.filter({ hasText: 'Current session' });
  expect(await own.textContent()).toMatch(
    /^Chrome on LinuxCurrent session(?:127\.0\.0\.1|::1).*just now/,
  );
  expect(await own.getByRole('button').count()).toBe(0);
  await table()
    .getByRole('button', { name: /^Sign out of Chrome on Linux, / })
    .click();
  await visitor.page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await rows.nth(2).waitFor({ state: 'detached' });
  await other.open('/workspaces');
  await other.page.waitForURL(/\/sign-in/);
  await other.leave();
});

it('A list that fails to load says what happened and what to do, with the request id and a retry', async () => {
  const { page } = visitor;
  const id = '5e0c8a26-bd2f-4c39-8a05-1fa2c25a7b9f';
  const error = { code: 'internal', message: 'Internal server error.', requestId: id };
  await page.route('**/console/api/sessions', (route) =>
    route.fulfill({ status: 500, json: { error } }),
  );
  await visitor.open('/profile/sessions');
  const alert = page.getByRole('alert');
  await alert.getByText('The server failed').waitFor();
  await alert.getByText('Try again. If it fails again, report the request id.').waitFor();
  await alert.getByText(id).waitFor();
  await alert.getByRole('button', { name: 'Copy request id' }).waitFor();
  expect(await violationsOn(page)).toEqual([]);
  await page.unroute('**/console/api/sessions');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await table().waitFor();
});
