import { AuthenticatorApp } from '../support/authenticator-app';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

const PASSWORD = 'a password of some length';

let signedIn: SignedIn;
let visitor: Visitor;

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  ({ visitor } = signedIn);
  await signedIn.app.setPassword(signedIn.owner, PASSWORD);
});

afterAll(() => signedIn.leave());

const press = (on: Visitor, name: string): Promise<void> =>
  on.page.getByRole('button', { name, exact: true }).click();

const fill = (on: Visitor, label: string, text: string): Promise<void> =>
  on.page.getByLabel(label, { exact: true }).fill(text);

it('a second factor is set up with a QR code, asked for at sign-in, and removed', async () => {
  await visitor.open('/profile/second-factor');
  await visitor.sees('Sign-ins ask for your password only.');
  await press(visitor, 'Set up an authenticator app');
  await fill(visitor, 'Current password', 'not the password');
  await press(visitor, 'Next');
  await visitor.sees('does not match your current password');
  await fill(visitor, 'Current password', PASSWORD);
  await press(visitor, 'Next');
  await visitor.page.getByRole('img', { name: 'QR code with the secret' }).waitFor();
  expect(await violationsOn(visitor.page)).toEqual([]);
  const secret = (await visitor.page.getByRole('group', { name: 'Secret' }).textContent()) ?? '';
  const device = new AuthenticatorApp(secret);
  const used = device.code();
  await fill(visitor, 'Code', used);
  await press(visitor, 'Turn on');
  const codes = visitor.page.getByRole('group', { name: 'Recovery codes' });
  const recovery = ((await codes.textContent()) ?? '').split('\n');
  expect(recovery).toHaveLength(10);
  await press(visitor, 'I have stored them');
  await visitor.sees('Recovery codes left: 10.');

  const another = await signedIn.stranger();
  await another.open('/sign-in');
  await fill(another, 'Email', signedIn.owner.email);
  await fill(another, 'Password', PASSWORD);
  await press(another, 'Sign in');
  await fill(another, 'Code', used);
  await press(another, 'Sign in');
  await another.sees('is incorrect or was used before');
  expect(await violationsOn(another.page)).toEqual([]);
  await fill(another, 'Code', device.code(1));
  await press(another, 'Sign in');
  await another.page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
  expect(another.errors).toEqual([]);
  await another.leave();

  await press(visitor, 'Remove the app');
  await fill(visitor, 'Current password', PASSWORD);
  await fill(visitor, 'Code', recovery[0] ?? '');
  await visitor.page.getByRole('dialog').getByRole('button', { name: 'Remove the app' }).click();
  await visitor.sees('Sign-ins ask for your password only.');
  expect([...visitor.errors, ...visitor.foreignRequests]).toEqual([]);
});

it('an owner requires a second factor from all users, and a user without one sets it up', async () => {
  const account = await SignedIn.arrive();
  const { app, owner } = account;
  await app.setPassword(owner, PASSWORD);
  const member = await app.newUser(owner.accountId, 'viewer');
  await app.setPassword(member, PASSWORD);
  const { device } = await AuthenticatorApp.setUp(await app.console(owner), PASSWORD);
  // The set-up ended the other sessions.
  const first = await account.another();
  await first.open('/security');
  await press(first, 'Require a second factor');
  await first.sees('1 user has none yet');
  expect(await violationsOn(first.page)).toEqual([]);
  await fill(first, 'Current password', PASSWORD);
  await fill(first, 'Code', device.code(1));
  const dialog = first.page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Require a second factor' }).click();
  await first.sees('All users need a second factor.');

  const another = await account.stranger();
  await another.signIn(member.email, PASSWORD);
  await another.sees('Your account requires a second factor.');
  expect(await violationsOn(another.page)).toEqual([]);
  await another.open('/workspaces');
  await another.sees('Your account requires a second factor.');
  await press(another, 'Set up an authenticator app');
  await fill(another, 'Current password', PASSWORD);
  await press(another, 'Next');
  const secret = (await another.page.getByRole('group', { name: 'Secret' }).textContent()) ?? '';
  await fill(another, 'Code', new AuthenticatorApp(secret).code());
  await press(another, 'Turn on');
  await press(another, 'I have stored them');
  // The navigation is there again.
  await another.page.getByRole('link', { name: 'Request log', exact: true }).waitFor();
  await another.open('/workspaces');
  await another.page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
  expect([...another.errors, ...first.errors]).toEqual([]);
  await another.leave();
  await first.leave();
});

it('a passkey is added, and signs in without a password', async () => {
  const account = await SignedIn.arrive();
  const { app, owner } = account;
  await app.setPassword(owner, PASSWORD);
  // Passkeys need a host name.
  const person = await account.stranger({}, account.origin.replace('127.0.0.1', 'localhost'));
  const device = await person.context.newCDPSession(person.page);
  await device.send('WebAuthn.enable');
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  await person.signIn(owner.email, PASSWORD);
  await person.open('/profile/second-factor');
  await press(person, 'Add a passkey');
  await fill(person, 'Current password', PASSWORD);
  await press(person, 'Next');
  await fill(person, 'Name', 'My laptop');
  await press(person, 'Create the passkey');
  await press(person, 'I have stored them');
  await person.page.getByRole('cell', { name: 'My laptop', exact: true }).waitFor();
  expect(await violationsOn(person.page)).toEqual([]);

  await press(person, `You: ${owner.email}`);
  await person.page.getByRole('menuitem', { name: 'Sign out' }).click();
  await press(person, 'Sign in with a passkey');
  await person.page.getByRole('button', { name: `You: ${owner.email}` }).waitFor();

  await person.open('/profile/second-factor');
  await press(person, 'Remove the passkey My laptop');
  await press(person, 'Use a passkey');
  await person.sees('Sign-ins ask for your password only.');
  expect([...person.errors, ...person.foreignRequests]).toEqual([]);
  await person.leave();
});
