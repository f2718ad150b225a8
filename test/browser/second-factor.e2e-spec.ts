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
  await signedIn.setPassword(PASSWORD);
});

afterAll(() => signedIn.leave());

const press = (on: Visitor, name: string): Promise<void> =>
  on.page.getByRole('button', { name, exact: true }).click();

const fill = (on: Visitor, label: string, text: string): Promise<void> =>
  on.page.getByLabel(label, { exact: true }).fill(text);

it('is set up with a QR code, asked for at the sign-in, and removed', async () => {
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
