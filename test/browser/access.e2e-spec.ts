import { dataOf, newWorkspace } from '../support/fixture';
import type { Visitor } from './browser';
import { newDemo, SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

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

async function call(key: string, method: string, path: string): Promise<number> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const body = method === 'POST' ? { body: '{"name":"From a key"}' } : {};
  const url = `${signedIn.origin}/api/v1/public${path}`;
  return (await fetch(url, { method, headers, ...body })).status;
}

/** Returns the key in the dialog that shows it once, and closes the dialog. */
async function takeKey(): Promise<string> {
  const { page } = visitor;
  const key = (await page.getByText(/^mk_[0-9A-Za-z]{36}$/).textContent()) ?? '';
  await page.getByRole('button', { name: 'I have stored it' }).click();
  return key;
}

describe('the access of a key', () => {
  it('can be limited to reading one workspace', async () => {
    const { page } = visitor;
    await visitor.open('/profile/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('Dashboard');
    await page.getByLabel('Read workspaces, datagrids, rows, views and saved queries').check();
    await page.getByLabel('Limit the key to workspaces or datagrids').check();
    await page.getByRole('button', { name: 'Create the key' }).click();
    await visitor.sees('Choose at least one workspace or datagrid.');
    await page.getByRole('combobox', { name: 'Workspaces and datagrids' }).click();
    await page.getByRole('option', { name: 'Demo', exact: true }).click();
    // Closes the list, which covers the button.
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const key = await takeKey();
    expect(await call(key, 'GET', '/workspaces')).toBe(200);
    expect(await call(key, 'POST', '/workspaces')).toBe(403);
    await page
      .getByRole('row', { name: /Dashboard/ })
      .getByText('Read only, in 1 workspace')
      .waitFor();
  });
});

describe('a service account', () => {
  it('is created with a key, which works', async () => {
    const { page } = visitor;
    await visitor.open('/users');
    await page.getByRole('button', { name: 'New service account' }).click();
    await page.getByLabel('Name').fill('Billing Sync');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await visitor.sees('Must have 1 to 63 lowercase letters, digits or hyphens');
    await page.getByLabel('Name').fill('billing-sync');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /billing-sync/ }).waitFor();
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByLabel('Name').fill('Nightly');
    await page.getByRole('button', { name: 'Create the key' }).click();
    expect(await call(await takeKey(), 'GET', '/workspaces')).toBe(200);
    await page.getByRole('row', { name: /Nightly/ }).waitFor();
    await page.reload();
    await page.getByRole('row', { name: /Nightly/ }).waitFor();
  });
});

describe('a member with a role in one workspace', () => {
  it('sees only this workspace, and edits there', async () => {
    const { page } = visitor;
    const { name: secret } = dataOf(
      await signedIn.api.get(`/workspaces/${await newWorkspace(signedIn.api)}`),
      200,
    ) as { name: string };
    const contractor = await signedIn.colleague('member');
    await visitor.open('/users');
    await page.getByRole('button', { name: /^Actions for member-/ }).click();
    await page.getByRole('menuitem', { name: 'Change roles in workspaces' }).click();
    await page.getByLabel('Demo', { exact: true }).selectOption('Editor');
    await page.getByRole('button', { name: 'Change the roles' }).click();
    await page.getByText('Member, and in 1 workspace').waitFor();

    try {
      await contractor.open('/workspaces');
      await contractor.page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
      await contractor.page.getByRole('link', { name: 'Demo', exact: true }).first().waitFor();
      expect(await contractor.page.getByText(secret).count()).toBe(0);
      expect(await contractor.page.getByRole('link', { name: 'Trash' }).count()).toBe(0);
      await contractor.page.getByRole('link', { name: 'Demo', exact: true }).first().click();
      await contractor.page.getByRole('link', { name: 'Airports' }).last().click();
      await contractor.page.getByRole('button', { name: 'Add row' }).waitFor();
      expect(await contractor.page.getByRole('button', { name: 'Add columns' }).count()).toBe(0);
      expect(contractor.errors).toEqual([]);
    } finally {
      await contractor.leave();
    }
  });
});
