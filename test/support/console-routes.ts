import { accessOf } from '../../src/platform/http/access';
import { RouteTable, type Route } from '../../src/platform/http/route-table';
import { ApiClient } from './api-client';
import { CONSOLE, sessionHeaders } from './console-client';
import type { Member, TestApp } from './test-app';

/** Returns true if a path belongs to the console: its calls, its pages or its assets. */
export function isOfConsole(path: string): boolean {
  return !/^\/(api|health)\//.test(path);
}

/** Returns the console's own calls, without the catch-all route. */
export function consoleRoutes(app: TestApp): Route[] {
  const routes = app.nest.get(RouteTable, { strict: false }).all();
  return routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith(`${CONSOLE}/`));
}

/** Returns those of the console's own calls that need a session. */
export function sessionRoutes(app: TestApp): Route[] {
  return consoleRoutes(app).filter(({ handler }) => accessOf(handler) !== 'public');
}

/** Returns the route's path relative to the console's base, with its parameters filled in. */
export function consolePath({ path }: Route, parameters: Readonly<Record<string, string>>): string {
  return path.slice(CONSOLE.length).replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`No value for :${name} of ${path}.`);
    return value;
  });
}

/** Returns a client that calls the public API as the console does: with a session. */
export async function dataClient(app: TestApp, user: Pick<Member, 'userId'>): Promise<ApiClient> {
  const { token = '' } = await app.console(user);
  return new ApiClient(app.origin, undefined, `${CONSOLE}/data`, sessionHeaders(token));
}

const BODIES: Readonly<Record<string, object>> = {
  'POST /session': { email: 'nobody@example.com', password: 'not a password' },
  'PUT /password': { currentPassword: 'not a password', newPassword: 'nor is this' },
  'POST /invites/:token': { password: 'a password of the tests' },
  'POST /session/passkey': { passkey: {} },
  'POST /factors/passkeys': { currentPassword: 'not a password' },
  'POST /factors/passkeys/confirmation': { name: 'x', passkey: {} },
  'POST /factors/passkeys/:id/removal': { currentPassword: 'not a password' },
  'POST /factors/totp': { currentPassword: 'not a password' },
  'POST /factors/totp/confirmation': { code: '000000' },
  'POST /factors/totp/removal': { currentPassword: 'not a password', code: '000000' },
  'POST /factors/recovery-codes': { currentPassword: 'not a password', code: '000000' },
  'PUT /security': {
    ...{ requiresSecondFactor: true, currentPassword: 'not a password', code: '000000' },
  },
  'POST /providers': {
    ...{ name: 'x', issuer: 'https://issuer.example', clientId: 'x', clientSecret: 'x' },
    currentPassword: 'not a password',
  },
  'PATCH /providers/:id': { currentPassword: 'not a password' },
  'POST /providers/saml': {
    ...{ name: 'x', issuer: 'x', ssoUrl: 'https://idp.example', certificates: ['x'] },
    currentPassword: 'not a password',
  },
  'POST /providers/saml/metadata': { xml: 'x' },
  'PATCH /providers/:id/saml': { currentPassword: 'not a password' },
  'POST /providers/:id/removal': { currentPassword: 'not a password' },
  'POST /providers/:id/logout': { logout_token: 'x' },
  'POST /providers/:id/session': { query: '' },
  'POST /session/proof': { currentPassword: 'not a password' },
  'POST /providers/search': { email: 'nobody@example.com' },
  'POST /scim/tokens': { name: 'x', currentPassword: 'not a password' },
  'POST /scim/tokens/:id/revocation': { currentPassword: 'not a password' },
  'PATCH /scim/groups/:id': { role: 'viewer', workspaceRoles: [] },
  'POST /applications': { query: '', scopes: ['rows:read'], lifetimeDays: 1 },
  'POST /applications/request': { query: '' },
  'POST /users': { email: 'sent-to-every-route@example.com', role: 'viewer' },
  'PATCH /users/:id': { role: 'viewer' },
  'POST /service-accounts': { name: 'sent-to-every-route', role: 'viewer' },
  'POST /keys': { name: 'Sent to every route' },
  'POST /keys/:id/rotation': { keepForSeconds: 0 },
};

/** Returns a body that the route accepts, if it takes one. Add new routes here. */
export function consoleBody({ method, path }: Route): object | undefined {
  if (method === 'GET' || method === 'DELETE') return undefined;
  const own = path.slice(CONSOLE.length).replace('/service-accounts/:id/keys', '/keys');
  const body = BODIES[`${method} ${own.replace(':keyId', ':id')}`];
  if (!body && !/\/(?:invite|challenge|sign-in|:id\/saml)$/.test(path))
    throw new Error(`No body to try ${method} ${path} with.`);
  return body;
}
