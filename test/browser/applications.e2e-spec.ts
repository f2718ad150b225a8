import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dataOf } from '../support/fixture';
import { OpenidProvider } from '../support/openid-provider';
import { OauthApplication, tokensOf } from '../support/oauth-application';
import { sendMessage } from '../support/mcp-client';
import type { Visitor } from './browser';
import { SignedIn } from './signed-in';
import { violationsOn } from './violations';

// The first file of a worker starts a service and a browser.
jest.setTimeout(120_000);

const PASSWORD = 'a password of some length';

let signedIn: SignedIn;
let application: OauthApplication;
/** The application on the machine of the user, to which the browser comes back. */
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back</h1>');
});

beforeAll(async () => {
  signedIn = await SignedIn.arrive();
  await signedIn.app.setPassword(signedIn.owner, PASSWORD);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const redirectUri = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/callback`;
  application = await OauthApplication.registered(signedIn.origin, redirectUri);
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await signedIn.leave();
});

const press = (on: Visitor, name: string): Promise<void> =>
  on.page.getByRole('button', { name, exact: true }).click();

/** Waits until the browser is back at the application. @returns what it brings. */
async function back({ page }: Visitor): Promise<URLSearchParams> {
  await page.getByRole('heading', { name: 'Back' }).waitFor();
  expect(page.url().startsWith(application.redirectUri)).toBe(true);
  return new URL(page.url()).searchParams;
}

const mcpStatus = async (token: string): Promise<number> => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  return (await sendMessage(signedIn.origin, token, message)).status;
};

it('an assistant gets access after the user has signed in, and loses it in the profile', async () => {
  const visitor = await signedIn.stranger();
  await visitor.page.goto(`${signedIn.origin}/oauth/authorize?${application.query()}`);
  await visitor.page.getByLabel('Email', { exact: true }).fill(signedIn.owner.email);
  await visitor.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await press(visitor, 'Sign in');
  await visitor.sees('“Assistant” asks for access to your data.');
  await visitor.sees('Anybody can give an application this name.');
  await visitor.sees(`to a program on this computer (${new URL(application.redirectUri).host})`);
  expect(await violationsOn(visitor.page)).toEqual([]);
  await visitor.page.getByRole('checkbox', { name: 'Read workspaces' }).uncheck();
  const reads = visitor.page.getByRole('checkbox', { name: 'Read and export rows' });
  const writes = visitor.page.getByRole('checkbox', { name: 'Create, change, delete and import' });
  expect([await reads.isChecked(), await reads.isDisabled()]).toEqual([true, true]);
  await writes.uncheck();
  expect([await reads.isChecked(), await reads.isDisabled()]).toEqual([true, false]);
  await reads.uncheck();
  await writes.check();
  expect([await reads.isChecked(), await reads.isDisabled()]).toEqual([true, true]);
  await press(visitor, 'Allow');
  const sent = await back(visitor);
  expect(sent.get('iss')).toBe(signedIn.origin);
  const { access } = tokensOf(await application.exchange(sent.get('code') ?? ''));
  expect(await mcpStatus(access)).toBe(200);

  await visitor.open('/profile/applications');
  const row = visitor.page.getByRole('row', { name: /Assistant/ });
  await row.getByText('Registered itself').waitFor();
  expect(await violationsOn(visitor.page)).toEqual([]);
  await press(visitor, 'Revoke Assistant');
  await press(visitor, 'Revoke');
  await visitor.sees('No application has access');
  expect(await mcpStatus(access)).toBe(401);
  await visitor.leave();
});

it('nothing is allowed while another window is above the page', async () => {
  const visitor = await signedIn.colleague('editor');
  await visitor.page.addInitScript('document.hasFocus = () => false');
  await visitor.page.goto(`${signedIn.origin}/oauth/authorize?${application.query()}`);
  const allow = visitor.page.getByRole('button', { name: 'Allow', exact: true });
  await allow.waitFor();
  expect(await allow.isDisabled()).toBe(true);
  await visitor.page.evaluate(
    'document.hasFocus = () => true; window.dispatchEvent(new Event("focus"))',
  );
  await allow.click();
  await back(visitor);
  await visitor.leave();
});

it('the user may sign in by a provider on the way to the decision', async () => {
  const provider = await OpenidProvider.start();
  const { owner, app } = signedIn;
  const created = await (
    await app.console(owner)
  ).post('/providers', { name: 'Company', ...provider.settings, currentPassword: PASSWORD });
  const id = String(dataOf(created, 201)['id']);
  const visitor = await signedIn.stranger();
  const person = { sub: 'p1', email: owner.email, email_verified: true };
  await visitor.page.route(`${provider.issuer}/authorize?*`, async (route) => {
    const url = route.request().url();
    const redirectUri = new URL(url).searchParams.get('redirect_uri') ?? '';
    const location = `${redirectUri}?${provider.signIn(url, person).toString()}`;
    await route.fulfill({ status: 302, headers: { location } });
  });
  // The browser knows a provider that it has used.
  await visitor.page.goto(`${signedIn.origin}/sign-in/${id}`);
  await press(visitor, 'Sign in with Company');
  await visitor.page.getByRole('heading', { level: 1, name: 'Workspaces' }).waitFor();
  await visitor.context.clearCookies();
  await visitor.page.goto(`${signedIn.origin}/oauth/authorize?${application.query()}`);
  await press(visitor, 'Sign in with Company');
  await press(visitor, 'Allow');
  expect((await back(visitor)).get('code')).toMatch(/^[\w-]{43}$/);
  await visitor.leave();
  await provider.close();
});

it('an assistant that is denied comes back without a code', async () => {
  const { visitor } = signedIn;
  await visitor.page.goto(`${signedIn.origin}/oauth/authorize?${application.query()}`);
  await press(visitor, 'Deny');
  const sent = await back(visitor);
  expect(sent.get('error')).toBe('access_denied');
  expect(sent.get('code')).toBeNull();
});

it('a request that cannot be allowed says so, and leads nowhere without a click', async () => {
  const { visitor } = signedIn;
  const open = (change: Record<string, string>): Promise<unknown> =>
    visitor.page.goto(`${signedIn.origin}/oauth/authorize?${application.query(change)}`);
  await open({ redirect_uri: 'https://evil.example/callback' });
  await visitor.sees('The redirect URI is not one of the application. Nothing was sent to it.');
  await open({ code_challenge_method: 'plain' });
  await visitor.sees('PKCE is required');
  expect(visitor.page.url().startsWith(signedIn.origin)).toBe(true);
  const link = visitor.page.getByRole('link', { name: /^Back to / });
  expect(await link.getAttribute('href')).toContain('error=invalid_request');
});

it('an application that describes itself at a host is warned of like any other', async () => {
  const { visitor } = signedIn;
  const clientId = 'https://app.example.com/client.json';
  let redirectHost = 'app.example.com';
  await visitor.page.route('**/console/api/applications/request', async (route) => {
    const response = await route.fetch();
    const { data } = (await response.json()) as { data: { application: object } };
    const application = { ...data.application, clientId, documentHost: 'app.example.com' };
    const changed = { ...data, application, redirectHost, isLocal: false };
    await route.fulfill({ response, json: { data: changed } });
  });
  const background = `getComputedStyle(document.querySelector('[role="alert"]')).backgroundColor`;
  const colors: string[] = [];
  for (redirectHost of ['app.example.com', 'evil.example']) {
    await visitor.page.goto(`${signedIn.origin}/oauth/authorize?${application.query()}`);
    await visitor.sees('Anybody can give an application this name.');
    await visitor.sees(`The application describes itself at ${clientId}.`);
    await visitor.sees(`Your decision is sent to ${redirectHost}.`);
    colors.push(await visitor.page.evaluate<string>(background));
  }
  expect(colors[0]).not.toBe(colors[1]);
  await visitor.page.unroute('**/console/api/applications/request');
});

it('an owner revokes what other users have allowed', async () => {
  const { visitor } = signedIn;
  const colleague = await signedIn.colleague('editor');
  await colleague.page.goto(`${signedIn.origin}/oauth/authorize?${application.query()}`);
  await press(colleague, 'Allow');
  const { access } = tokensOf(
    await application.exchange((await back(colleague)).get('code') ?? ''),
  );
  await visitor.open('/security');
  await press(visitor, 'Revoke Assistant');
  await press(visitor, 'Revoke');
  await visitor.sees('No application has access.');
  expect(await mcpStatus(access)).toBe(401);
  await colleague.leave();
});
