import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  newSigningKey,
  readRequest,
  SamlProvider,
  type SamlPerson,
} from '../support/saml-provider';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

const PASSWORD = 'a password of some length';

let account: SignedIn;
let owner: Visitor;
/** Redirects need a name that the service knows. To a browser, the page of the provider is another site. */
let origin: string;
let provider: SamlProvider;
let page: Server;
let person: SamlPerson;
let signInUrl: string;

beforeAll(async () => {
  account = await SignedIn.arrive();
  await account.app.setPassword(account.owner, PASSWORD);
  origin = account.origin.replace('127.0.0.1', 'localhost');
  owner = await account.stranger({}, origin);
  await owner.signIn(account.owner.email, PASSWORD);
  person = { attributes: { email: account.owner.email } };
  page = createServer((request, response) => {
    const url = new URL(request.url ?? '', provider.ssoUrl);
    if (!url.searchParams.has('SAMLRequest')) response.writeHead(404).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(formFor(url.href));
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const { port } = page.address() as AddressInfo;
  provider = new SamlProvider(await newSigningKey(20), `http://127.0.0.1:${String(port)}/sso`);
});

/** Returns the page of the provider, which sends the response at once. */
function formFor(url: string): string {
  const fields = Object.entries(provider.signIn(url, person)).map(
    ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
  );
  const { acsUrl } = readRequest(url);
  return `<form method="post" action="${acsUrl}">${fields.join('')}</form><script>document.forms[0].submit()</script>`;
}

afterAll(async () => {
  await account.leave();
  page.closeAllConnections();
  await new Promise((resolve) => page.close(resolve));
});

const press = (on: Visitor, name: string): Promise<void> =>
  on.page.getByRole('button', { name, exact: true }).click();

const fill = (on: Visitor, label: string, text: string): Promise<void> =>
  on.page.getByLabel(label, { exact: true }).fill(text);

const isHome = (on: Visitor): Promise<void> =>
  on.page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();

it('an owner adds a SAML provider by its metadata, and is warned of its certificate', async () => {
  await owner.open('/security');
  await press(owner, 'Add a provider');
  expect(await violationsOn(owner.page)).toEqual([]);
  await press(owner, 'SAML 2.0');
  await fill(owner, 'Metadata of the provider', '<a/>');
  await press(owner, 'Fill in from the metadata');
  await owner.sees('do not describe one identity provider');
  await fill(owner, 'Metadata of the provider', provider.metadata());
  await press(owner, 'Fill in from the metadata');
  await owner.page.locator(`input[value="${provider.issuer}"]`).waitFor();
  await owner.page.getByLabel('Trust the email addresses of the provider').check();
  expect(await violationsOn(owner.page)).toEqual([]);
  await press(owner, 'Next');
  await fill(owner, 'Current password', PASSWORD);
  await press(owner, 'Save');
  await owner.sees('must be a string of 1 to');
  await fill(owner, 'Name', 'Company');
  await press(owner, 'Next');
  await fill(owner, 'Current password', PASSWORD);
  await press(owner, 'Save');
  const addresses = owner.page.getByRole('dialog', { name: 'Addresses for Company' });
  const shown = async (name: RegExp): Promise<string> =>
    (await addresses.getByRole('group', { name }).textContent()) ?? '';
  expect(await shown(/^ACS URL/)).toMatch(/\/saml$/);
  signInUrl = await shown(/^Page on which users sign in/);
  expect(await shown(/^Entity ID/)).toMatch(/\/metadata$/);
  expect(await violationsOn(owner.page)).toEqual([]);
  await owner.page.keyboard.press('Escape');
  await owner.sees('The certificate of Company expires on');
  expect(await violationsOn(owner.page)).toEqual([]);
  expect(owner.errors).toEqual([]);
});

it('a person signs in by a SAML provider, whose page sends the response from another site', async () => {
  const visitor = await account.stranger({}, origin);
  await visitor.page.goto(signInUrl);
  await press(visitor, 'Sign in with Company');
  await isHome(visitor);
  expect(visitor.errors).toEqual([]);
  await visitor.leave();
});

it('a victim who follows the request of an attacker signs in neither of them', async () => {
  const [attacker, victim] = await Promise.all([
    account.stranger({}, origin),
    account.stranger({}, origin),
  ]);
  await attacker.page.route(`${provider.ssoUrl}**`, (route) => route.abort());
  const request = attacker.page.waitForRequest((each) => each.url().startsWith(provider.ssoUrl));
  await attacker.page.goto(signInUrl);
  await press(attacker, 'Sign in with Company');
  const url = (await request).url();
  await victim.page.goto(url);
  await victim.sees('The sign-in is over, or began in another browser.');
  const state = new URL(url).searchParams.get('RelayState') ?? '';
  await attacker.page.goto(`${signInUrl}/callback?state=${state}`);
  await attacker.sees('The response of the provider came from another browser.');
  await Promise.all([attacker.leave(), victim.leave()]);
});
