import type { Browser } from 'playwright-core';
import { adminJson } from '../cli/admin';
import { ApiClient } from '../support/api-client';
import { newWorkspace } from '../support/fixture';
import { openBrowser, Visitor } from './browser';
import { freshStart, type FreshStart } from './fresh-start';

// Starts a service, a database and a browser.
jest.setTimeout(120_000);

const PAGE_SIZE = 50;
const ADMIN = 'admin@example.com';

let start: FreshStart;
let browser: Browser;

beforeAll(async () => {
  [start, browser] = await Promise.all([freshStart(), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await start.stop();
});

describe('the audit log', () => {
  it('is shown to an owner, back to the first event', async () => {
    const api = new ApiClient(start.origin, start.apiKey);
    for (let each = 0; each < PAGE_SIZE; each += 1) await newWorkspace(api);
    const owner = await Visitor.arrive(browser, start.origin);
    await owner.signIn(start.email, start.password);
    await owner.page.getByRole('link', { name: 'Audit log' }).click();
    const items = owner.page.getByRole('table', { name: 'Events' }).locator('tbody tr');
    await items.first().getByText('Signed in').waitFor();
    expect(await items.count()).toBe(PAGE_SIZE);
    expect(await items.nth(1).textContent()).toMatch(
      /^Workspace createdFixture \d+demo@example\.com with the key Demo/,
    );
    for (const item of await items.all()) {
      expect((await item.boundingBox())?.height).toBeLessThanOrEqual(36);
    }
    const opener = owner.page.getByRole('button', { name: 'Details of row 2', exact: true });
    await opener.click();
    expect(await owner.page.locator('.is-below dl > div').allTextContents()).toEqual([
      expect.stringMatching(/^ObjectFixture \d+/),
      expect.stringMatching(/^Object id[-\w]{36}Copy id$/),
      'Bydemo@example.com with the key Demo',
      expect.stringMatching(/^Time\d{4}-\d{2}-\d{2}T/),
    ]);
    await opener.click();
    const more = owner.page.getByRole('button', { name: 'Show earlier events' });
    await more.click();
    await owner.sees('Account created');
    expect(await more.count()).toBe(0);
    expect(await items.last().textContent()).toMatch(/^Account createdDemoAn operator/);
    expect([...owner.errors, ...owner.foreignRequests]).toEqual([]);
  });

  it('is linked for no other role, and its page says that only owners can read it', async () => {
    const { settings } = start.installation;
    const accountId = (
      (await new ApiClient(start.origin, start.apiKey).get('/me')).body as {
        data: { account: { id: string } };
      }
    ).data.account.id;
    await adminJson(
      settings,
      ...['user', 'create', '--account', accountId, '--email', ADMIN, '--role', 'admin'],
    );
    const { url } = (await adminJson(settings, 'user', 'invite', '--email', ADMIN)) as {
      url: string;
    };
    const admin = await Visitor.arrive(browser, start.origin);
    await admin.open(new URL(url).pathname);
    await admin.page.getByLabel('New password').fill('a password of some length');
    await admin.page.getByRole('button', { name: 'Set the password and sign in' }).click();
    await admin.page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
    expect(await admin.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await admin.open('/audit');
    await admin.sees('Only owners of the account can read its audit log.');
  });
});
