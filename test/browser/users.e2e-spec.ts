import type { Locator } from 'playwright-core';
import type { Visitor } from './browser';
import { newDemo, SignedIn } from './signed-in';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

const PASSWORD = 'a password of some length';

let signedIn: SignedIn;
let owner: Visitor;
let invited: Visitor;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor: owner } = signedIn);
  await newDemo(signedIn.api);
});

afterAll(() => signedIn.leave());

beforeEach(async () => {
  invited = await signedIn.stranger();
});

/** Fails a test in which a page had a script error or a blocked script, or called another origin. */
afterEach(async () => {
  expect([...owner.errors, ...invited.errors]).toEqual([]);
  expect([...owner.foreignRequests, ...invited.foreignRequests]).toEqual([]);
  await invited.leave();
});

const heading = (visitor: Visitor, name: string): Locator =>
  visitor.page.getByRole('heading', { level: 1, name });

/** Creates an invite as the owner, and signs the invited user in. @returns the path of the link. */
async function invite(email: string, role?: string): Promise<string> {
  const { page } = owner;
  await owner.open('/users');
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await page.getByLabel('Email').fill(email);
  if (role !== undefined) await page.getByRole('radio', { name: new RegExp(`^${role}`) }).check();
  await page.getByRole('button', { name: 'Create the link' }).click();
  const url = (await page.getByText(/^http\S+\/invite\/\S+$/).textContent()) ?? '';
  await page.getByRole('button', { name: 'I have copied it' }).click();

  const path = new URL(url).pathname;
  await invited.open(path);
  await invited.page.getByLabel('New password').fill(PASSWORD);
  await invited.page.getByRole('button', { name: 'Set the password and sign in' }).click();
  await heading(invited, 'Workspaces').waitFor();
  return path;
}

describe('a user', () => {
  it('is invited by a link that works once', async () => {
    const path = await invite('once@example.com');
    const again = await fetch(
      `${signedIn.origin}/console/api/invites/${path.split('/').at(-1) ?? ''}`,
    );
    expect(again.status).toBe(404);
  });

  it('without a workspace learns who opens one, and finds it once it is open', async () => {
    await invite('member@example.com', 'Member');
    const roles = owner.page.getByRole('dialog', { name: 'Roles of member@example.com' });
    await roles.waitFor();
    await invited.sees('No workspace is open to you');
    await invited.sees('Ask an owner of the account to give member@example.com a role');
    await roles.getByLabel('Demo').selectOption('Viewer');
    await roles.getByRole('button', { name: 'Change the roles' }).click();
    await roles.waitFor({ state: 'hidden' });
    await invited.page.getByRole('button', { name: 'Check again' }).click();
    await invited.page.getByRole('main').getByRole('link', { name: 'Demo' }).waitFor();
  });

  it('is signed out on the next request once suspended, and let in again once resumed', async () => {
    const email = 'editor@example.com';
    await invite(email);
    const { page } = owner;
    await owner.open('/users');
    const choose = async (action: string): Promise<void> => {
      await page.getByRole('button', { name: `Actions for ${email}` }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Suspend');
    await page.getByRole('button', { name: 'Suspend', exact: true }).click();
    await page
      .getByRole('row', { name: new RegExp(email) })
      .getByText('Suspended')
      .waitFor();

    await invited.page.getByRole('main').getByRole('link', { name: 'Demo' }).click();
    await invited.page.waitForURL(/\/sign-in/);
    await invited.sees('Your user or your account is suspended.');
    expect(await invited.page.getByText('Airports').count()).toBe(0);

    await choose('Resume');
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    const row = page.getByRole('row', { name: new RegExp(email) });
    await row.getByText('Suspended').waitFor({ state: 'hidden' });
    await invited.open('/workspaces');
    await heading(invited, 'Workspaces').waitFor();
  });
});
