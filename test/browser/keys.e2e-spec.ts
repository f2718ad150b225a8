import { eventually } from '../support/eventually';
import { dataOf, newDatagrid } from '../support/fixture';
import type { Visitor } from './browser';
import { newDemo, SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

const PASSWORD = 'a password of some length';

let signedIn: SignedIn;
let visitor: Visitor;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor } = signedIn);
  await newDemo(signedIn.api);
});

afterAll(() => signedIn.leave());

/** Fails a test whose page had a script error or a blocked script, or called another origin. */
afterEach(() => {
  expect([...visitor.errors, ...visitor.foreignRequests]).toEqual([]);
});

const callWith = async (key: string): Promise<number> => {
  const headers = { Authorization: `Bearer ${key}` };
  return (await fetch(`${signedIn.origin}/api/v1/public/me`, { headers })).status;
};

/** Chooses an action in the menu of the only key with this name. */
async function choose(action: string, key: string): Promise<void> {
  await visitor.page.getByRole('button', { name: `Actions for ${key}` }).click();
  await visitor.page.getByRole('menuitem', { name: action }).click();
}

describe('the console', () => {
  it('asks for the email address first, rejects a wrong password and accepts the right one', async () => {
    await signedIn.app.setPassword(signedIn.owner, PASSWORD);
    await visitor.context.clearCookies();
    const { page } = visitor;
    await visitor.open('/');
    await page.waitForURL(/\/sign-in/);
    await page.locator('input[type=email]:focus').waitFor();
    await page.keyboard.type(signedIn.owner.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await visitor.sees('The email address or the password is wrong.');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
  });

  it('asks to sign in again for a key if the sign-in was more than an hour ago', async () => {
    await signedIn.app.setPassword(signedIn.owner, PASSWORD);
    await signedIn.app.sql.query(
      "UPDATE sessions SET proven_at = now() - interval '1 hour' WHERE user_id = $1",
      [signedIn.owner.userId],
    );
    const { page } = visitor;
    const press = (name: string): Promise<void> =>
      page.getByRole('button', { name, exact: true }).click();
    await visitor.open('/profile/keys');
    await press('New key');
    await page.getByLabel('Name').fill('Late');
    await press('Create the key');
    const question = page.getByRole('dialog', { name: 'Sign in again' });
    await question.waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await visitor.sees('You signed in more than an hour ago.');
    await press('Create the key');
    await page.getByLabel('Current password', { exact: true }).fill('not the password');
    await press('Continue');
    await visitor.sees('does not match your current password');
    await page.getByLabel('Current password', { exact: true }).fill(PASSWORD);
    await press('Continue');
    await page.getByText(/^mk_[0-9A-Za-z]{36}$/).waitFor();
    await press('I have stored it');
  });

  it('creates an API key that works, and revokes it', async () => {
    const { page } = visitor;
    await visitor.open('/profile/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Stock sync');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const shown = await page.getByText(/^mk_[0-9A-Za-z]{36}$/).textContent();
    const curl = (await page.getByText(/^curl -H/).textContent()) ?? '';
    const key = shown ?? '';
    const [, header, url = ''] = /^curl -H "(.*)" "(.*)"$/.exec(curl) ?? [];
    expect(header).toBe(`Authorization: Bearer ${key}`);
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    const { data } = (await response.json()) as { data: unknown[] };
    expect(data).toHaveLength(3);
    expect(await callWith(key)).toBe(200);

    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect(await page.content()).not.toContain(key);
    await choose('Revoke', 'Stock sync');
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page
      .getByRole('table', { name: 'Keys that are no longer valid' })
      .getByRole('row', { name: /Stock sync/ })
      .getByText('Revoked')
      .first()
      .waitFor();
    expect(await callWith(key)).toBe(401);
  });

  it('shows a call of a datagrid that the key is limited to', async () => {
    const { page } = visitor;
    const { api } = signedIn;
    const path = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
    const { name } = dataOf(await api.get(path), 200) as { name: string };
    await visitor.open('/profile/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Of one datagrid');
    await page.getByLabel('Limit the key to workspaces or datagrids').check();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await visitor.sees('Choose at least one workspace or datagrid.');
    await page.getByRole('combobox', { name: 'Workspaces and datagrids' }).fill(name);
    await page.getByRole('option', { name: new RegExp(`^${name} \\(`) }).click();
    // Closes the list, which covers the button.
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await visitor.sees(new RegExp(`^Read the first rows of .*${name}`));
    const curl = (await page.getByText(/^curl -H/).textContent()) ?? '';
    const [, key = '', url = ''] = /^curl -H "Authorization: Bearer (.*)" "(.*)"$/.exec(curl) ?? [];
    expect(url).toBe(`${signedIn.origin}/api/v1/public${path}/rows?limit=3`);
    const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
  });

  it('shows the days of a key as chosen, warns before it expires and marks it once rotated', async () => {
    const { page } = visitor;
    await visitor.open('/profile/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Quarterly');
    await page.getByRole('button', { name: 'Create the key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    const row = page.getByRole('row', { name: /Quarterly/ });
    await row.getByText('in 90 days').waitFor();
    expect(await page.getByText('Keys expire soon').count()).toBe(0);
    await choose('Rotate', 'Quarterly');
    await page.getByRole('button', { name: 'Create the new key' }).click();
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await row.filter({ hasText: 'Rotated' }).getByText('in 24 hours').waitFor();
    expect(await row.count()).toBe(2);
    expect(await row.filter({ hasText: 'Rotated' }).count()).toBe(1);
    await row.last().getByRole('button', { name: 'Actions for Quarterly' }).click();
    await page.getByRole('menuitem', { name: 'View usage' }).click();
    await page.getByRole('heading', { name: /^Requests with .*Quarterly/ }).waitFor();
  });

  it('shows the requests of a key in a chart with an axis of counts and one of days', async () => {
    const { page } = visitor;
    await visitor.open('/profile/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Counted');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const key = (await page.getByText(/^mk_[0-9A-Za-z]{36}$/).textContent()) ?? '';
    for (let sent = 0; sent < 3; sent++) expect(await callWith(key)).toBe(200);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    // Counts are written every 5 seconds.
    await eventually(async () => {
      await page.reload();
      await choose('View usage', 'Counted');
      await page.getByRole('heading', { name: /^Requests with .*Counted/ }).waitFor();
      await page.getByRole('img', { name: /one bar per day$/ }).waitFor();
      return (await page.locator('.usage-plot title', { hasText: /: 3$/ }).count()) === 1;
    }, 60_000);
    const counts = await page.locator('.usage-scale span').allTextContents();
    expect(counts).toHaveLength(3);
    expect(counts.map(Number)).toEqual([expect.any(Number), Number(counts[0]) / 2, 0]);
    const days = await page.locator('.usage-days span').allTextContents();
    expect(days).toEqual(Array(3).fill(expect.stringMatching(/^[A-Z][a-z]{2} \d{1,2}$/)));
  });

  it('signs out, and then redirects to the sign-in page', async () => {
    const { page } = visitor;
    await page.getByRole('button', { name: `You: ${signedIn.owner.email}` }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL(/\/sign-in/);
    await page.locator('input[type=email]:focus').waitFor();
    await visitor.open('/profile/keys');
    await page.waitForURL(/\/sign-in/);
  });
});
