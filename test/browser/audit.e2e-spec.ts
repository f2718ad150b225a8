import { newWorkspace } from '../support/fixture';
import { SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

const PAGE_SIZE = 50;
const PASSWORD = 'a password of some length';

let signedIn: SignedIn;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  await signedIn.app.setPassword(signedIn.owner, PASSWORD);
});

afterAll(() => signedIn.leave());

describe('the audit log', () => {
  it('is shown to an owner, back to the first event', async () => {
    const { api } = signedIn;
    for (let each = 0; each < PAGE_SIZE; each += 1) await newWorkspace(api);
    const { email } = signedIn.owner;
    const owner = await signedIn.stranger();
    await owner.signIn(email, PASSWORD);
    await owner.page.getByRole('link', { name: 'Audit log' }).click();
    const items = owner.page.getByRole('table', { name: 'Events' }).locator('tbody tr');
    await items.first().getByText('Signed in').waitFor();
    expect(await items.count()).toBe(PAGE_SIZE);
    expect(await items.nth(1).textContent()).toMatch(
      new RegExp(`^Workspace createdFixture \\d+${email} with the key test`),
    );
    for (const item of await items.all()) {
      expect((await item.boundingBox())?.height).toBeLessThanOrEqual(36);
    }
    const opener = owner.page.getByRole('button', { name: 'Details of row 2', exact: true });
    await opener.click();
    expect(await owner.page.locator('.is-below dl > div').allTextContents()).toEqual([
      expect.stringMatching(/^ObjectFixture \d+/),
      expect.stringMatching(/^Object id[-\w]{36}Copy id$/),
      `By${email} with the key test`,
      expect.stringMatching(/^Time\d{4}-\d{2}-\d{2}T/),
    ]);
    await opener.click();
    const more = owner.page.getByRole('button', { name: 'Show earlier events' });
    await more.click();
    await owner.sees('Account created');
    expect(await more.count()).toBe(0);
    expect(await items.last().textContent()).toMatch(/^Account createdTest accountAn operator/);
    expect([...owner.errors, ...owner.foreignRequests]).toEqual([]);
  });

  it('is linked for no other role, and its page says that only owners can read it', async () => {
    const admin = await signedIn.colleague('admin');
    await admin.open('/workspaces');
    await admin.page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
    expect(await admin.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await admin.open('/audit');
    await admin.sees('Only owners of the account can read its audit log.');
  });
});
