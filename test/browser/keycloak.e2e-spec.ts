import type { Locator } from 'playwright-core';
import { SESSION_COOKIE } from '../../src/auth/session/session-cookie';
import { CONSOLE, ConsoleClient, sessionHeaders } from '../support/console-client';
import { EventStream } from '../support/event-stream';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/failure';
import { newDatagrid } from '../support/fixture';
import { describeWithKeycloak, Keycloak } from '../support/keycloak/keycloak';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

// Keycloak starts in 20 s if the machine does nothing else.
jest.setTimeout(180_000);

const PASSWORD = 'a password of some length';

const press = (on: Visitor, name: string | RegExp): Promise<void> =>
  on.page.getByRole('button', { name, exact: true }).click();

const fill = (on: Visitor, label: string, text: string): Promise<void> =>
  on.page.getByLabel(label, { exact: true }).fill(text);

const button = (on: Visitor, name: string): Locator =>
  on.page.getByRole('button', { name, exact: true });

describeWithKeycloak('Keycloak', () => {
  let keycloak: Keycloak;
  let account: SignedIn;
  let owner: Visitor;
  /** Redirects need a name that the service knows. */
  let origin: string;
  let signInUrl: string;

  beforeAll(async () => {
    [account, keycloak] = await Promise.all([SignedIn.arrive(), Keycloak.start()]);
    await account.app.setPassword(account.owner, PASSWORD);
    origin = account.origin.replace('127.0.0.1', 'localhost');
    owner = await account.stranger({}, origin);
    await owner.signIn(account.owner.email, PASSWORD);
  });

  afterAll(async () => {
    await account.leave();
    await keycloak.close();
  });

  /** Signs in on the page of Keycloak. */
  async function logIn(person: Visitor, username: string, password?: string): Promise<void> {
    await person.page.waitForURL((url) => url.origin === keycloak.origin);
    await person.page.getByLabel('Username or email').fill(username);
    const field = person.page.locator('#password');
    await field.fill(password ?? keycloak.passwordOf(username));
    await press(person, 'Sign In');
  }

  const home = (on: Visitor): Locator =>
    on.page.getByRole('heading', { level: 1, name: 'Workspaces' });

  async function arrive(username: string): Promise<Visitor> {
    const person = await account.stranger({}, origin);
    await person.open('/sign-in');
    await press(person, 'Sign in by your company');
    await fill(person, 'Email', `${username}@example.com`);
    await press(person, 'Find the sign-in page');
    await press(person, 'Sign in with Keycloak');
    return person;
  }

  it('is added by an owner, who copies the redirect URI to its client', async () => {
    await owner.open('/security');
    await press(owner, 'Add a provider');
    await press(owner, 'OpenID Connect');
    await fill(owner, 'Name', 'Keycloak');
    await fill(owner, 'Issuer', keycloak.issuer);
    await fill(owner, 'Client ID', keycloak.clientId);
    await fill(owner, 'Client secret', keycloak.clientSecret);
    await fill(owner, 'Domains of email addresses', 'example.com');
    await owner.page.getByRole('combobox', { name: 'New users' }).click();
    await owner.page.getByRole('option', { name: 'Viewer' }).click();
    await press(owner, 'Add a group');
    await fill(owner, 'Group', 'editors');
    await owner.page.getByLabel('Role', { exact: true }).selectOption('Editor');
    expect(await violationsOn(owner.page)).toEqual([]);
    await press(owner, 'Next');
    await fill(owner, 'Current password', PASSWORD);
    await press(owner, 'Save');
    const addresses = owner.page.getByRole('dialog', { name: 'Addresses for Keycloak' });
    const uri = addresses.getByRole('group', { name: /^Redirect URI/ });
    const page = addresses.getByRole('group', { name: 'Page on which users sign in' });
    signInUrl = (await page.textContent()) ?? '';
    const logout = addresses.getByRole('group', { name: /^Back-channel logout URL/ });
    await keycloak.changeClient({
      redirectUris: [await uri.textContent()],
      attributes: { 'backchannel.logout.url': await logout.textContent() },
    });
    expect(await violationsOn(owner.page)).toEqual([]);
    expect(owner.errors).toEqual([]);
  });

  it('signs in a person who knows only an email address, with the role of new users', async () => {
    const person = await arrive('anna');
    await logIn(person, 'anna');
    await home(person).waitFor();
    await press(person, 'You: anna@example.com');
    await person.sees('Viewer');
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('signs in the same user again, after the email address has changed', async () => {
    await keycloak.changeUser('anna', { email: 'anna.adams@example.com', emailVerified: false });
    const person = await account.stranger({}, origin);
    await person.page.goto(signInUrl);
    await press(person, 'Sign in with Keycloak');
    await logIn(person, 'anna');
    await button(person, 'You: anna@example.com').waitFor();
    // The browser remembers the provider, which remembers the person.
    await press(person, 'You: anna@example.com');
    await person.page.getByRole('menuitem', { name: 'Sign out' }).click();
    await press(person, 'Sign in with Keycloak');
    await button(person, 'You: anna@example.com').waitFor();
    expect(person.errors).toEqual([]);
    await person.leave();
  });

  it('gives a person the role of a group at the next sign-in', async () => {
    await keycloak.putInGroup('anna', 'editors');
    const person = await account.stranger({}, origin);
    await person.page.goto(signInUrl);
    await press(person, 'Sign in with Keycloak');
    await logIn(person, 'anna');
    await press(person, 'You: anna@example.com');
    await person.sees('Editor');
    await person.leave();
  });

  it('ends the session of a person who signs out there, and its open streams', async () => {
    const grid = await newDatagrid(account.owner.api, [{ key: 'name', type: 'text' }]);
    const person = await account.stranger({}, origin);
    await person.page.goto(signInUrl);
    await press(person, 'Sign in with Keycloak');
    await logIn(person, 'anna');
    await home(person).waitFor();
    const cookies = await person.context.cookies(origin);
    const session = cookies.find(({ name }) => name === SESSION_COOKIE);
    const headers = sessionHeaders(session?.value ?? '');
    const stream = new EventStream(`${origin}${CONSOLE}/data${grid}/changes`, headers);
    const api = new ConsoleClient(origin, session?.value);
    expect((await api.get('/session')).status).toBe(200);
    const there = await person.context.newPage();
    await there.goto(`${keycloak.issuer}/protocol/openid-connect/logout`);
    await there.getByRole('button', { name: 'Logout' }).click();
    await there.getByRole('heading', { name: 'You are logged out' }).waitFor();
    // A stream that waits is checked before it sends something.
    await eventually(async () => {
      await account.owner.api.post(`${grid}/rows`, { values: { name: 'x' } });
      return stream.isEnded;
    });
    expect(stream.status).toBe(200);
    expectFailure(await api.get('/session'), 'unauthenticated');
    await person.open('/workspaces');
    await person.page.waitForURL(/\/sign-in/);
    await person.leave();
  });

  it('ends all sessions of a person whom its administrator signs out', async () => {
    // Otherwise Keycloak names only one of the sessions (https://github.com/keycloak/keycloak/issues/27359).
    await keycloak.changeClient({ attributes: { 'backchannel.logout.session.required': 'false' } });
    const people = [await account.stranger({}, origin), await account.stranger({}, origin)];
    for (const person of people) {
      await person.page.goto(signInUrl);
      await press(person, 'Sign in with Keycloak');
      await logIn(person, 'anna');
      await home(person).waitFor();
    }
    await keycloak.signOut('anna');
    for (const person of people) {
      await person.open('/workspaces');
      await person.page.waitForURL(/\/sign-in/);
      await person.leave();
    }
  });

  it('does not sign in a person whose address is not verified, and the page says why', async () => {
    const person = await arrive('ben');
    await logIn(person, 'ben', 'not the password');
    // Keycloak itself asks again.
    await person.sees('Invalid username or password.');
    await logIn(person, 'ben');
    await person.sees('The provider does not say that your email address is verified.');
    expect(await violationsOn(person.page)).toEqual([]);
    await person.leave();
  });

  it('does not sign in a person who cancels there, and the page says so', async () => {
    await keycloak.changeClient({ consentRequired: true });
    const person = await arrive('anna');
    await logIn(person, 'anna');
    await press(person, 'No');
    await person.sees('The provider did not let you sign in.');
    await person.page.getByRole('link', { name: 'Sign in again' }).click();
    await button(person, 'Sign in with Keycloak').waitFor();
    await keycloak.changeClient({ consentRequired: false });
    await person.leave();
  });

  it('may be away: the sign-in page says so, and users sign in by their password', async () => {
    const person = await arrive('anna');
    await logIn(person, 'anna');
    // The browser remembers a provider that has signed somebody in.
    await home(person).waitFor();
    await person.context.clearCookies();
    await keycloak.stop();
    // Metadata that were read in the last ten seconds are recent enough.
    const path = `/providers/${new URL(signInUrl).pathname.split('/').at(-1) ?? ''}/sign-in`;
    const begin = async (): Promise<number> => (await new ConsoleClient(origin).post(path)).status;
    await eventually(async () => (await begin()) !== 200, undefined, 500);
    await person.open('/sign-in');
    await press(person, 'Sign in with Keycloak');
    await person.sees('The provider cannot be reached.');
    expect(await violationsOn(person.page)).toEqual([]);
    await person.signIn(account.owner.email, PASSWORD);
    await home(person).waitFor();
    await person.leave();
  });
});
