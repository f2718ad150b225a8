import { INTERCEPTORS_METADATA } from '@nestjs/common/constants';
import {
  ACCESS,
  type Access,
  isForSessions,
  PUBLIC_API,
  addressLimitOf,
} from '../../src/platform/http/access';
import { CONSOLE_API } from '../../src/platform/http/rewrite-console-url';
import {
  needsRequestInterceptor,
  RequestInterceptor,
} from '../../src/platform/routes/api-controller';
import type { Route } from '../../src/platform/http/route-table';
import { allRoutes, named } from './unconnected-app';

let routes: Route[];

beforeAll(async () => {
  routes = await allRoutes();
});

const accessOf = ({ handler }: Route): Access | undefined =>
  Reflect.getMetadata(ACCESS, handler) as Access | undefined;

/** Routes that read by POST, for queries that are too long for a URL. */
const READ_BY_POST = /\/(query|aggregate|sql)$/;

/** Routes of the console that a browser loads before the sign-in. */
const isPage = ({ path }: Route): boolean =>
  /^\/(?!api\/|console\/|scim\/|health\/|shared\/|mcp$|\.well-known\/|oauth\/(?!authorize)|\{)/.test(
    path,
  );

/** Passes calls of tools on to other routes, which check them. */
const MCP = 'POST /mcp';

/** Returns whether only the directory of an account calls a route, with a SCIM token. */
const isScim = ({ path }: Route): boolean => path.startsWith('/scim/v2');

/** Routes of public links, whose token is in the path. */
const SHARED = ['GET /shared/:token', 'GET /shared/:token/rows'];

/** Routes of the authorization server. Its tokens and codes authenticate requests by themselves. */
const OAUTH_METADATA = [
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-protected-resource/api/v1/public',
  'GET /.well-known/oauth-protected-resource/mcp',
];
const OAUTH = ['POST /oauth/register', 'POST /oauth/revoke', 'POST /oauth/token'];
/** Preflight requests of browsers to them. */
const OAUTH_PREFLIGHTS = [...OAUTH_METADATA, ...OAUTH].map((route) =>
  route.replace(/^\w+/, 'OPTIONS'),
);

/** Routes whose requests authenticate by their own content. */
const SIGN_INS = [
  'GET /console/api/invites/:token',
  'GET /console/api/providers/:id',
  'GET /console/api/providers/:id/metadata',
  'POST /console/api/invites/:token',
  'POST /console/api/providers/:id/logout',
  'POST /console/api/providers/:id/saml',
  'POST /console/api/providers/:id/session',
  'POST /console/api/providers/:id/sign-in',
  'POST /console/api/providers/search',
  'POST /console/api/session',
  'POST /console/api/session/challenge',
  'POST /console/api/session/passkey',
];

describe('the routes', () => {
  it('declare their access', () => {
    expect(routes.length).toBeGreaterThan(20);
    expect(routes.filter((route) => accessOf(route) === undefined).map(named)).toEqual([]);
  });

  it('require a key or a session, with these exceptions', () => {
    const open = routes.filter((route) => accessOf(route) === 'public' && !isPage(route));
    expect(open.map(named).sort()).toEqual([
      'ALL /{*path}',
      ...OAUTH_METADATA,
      `GET /${PUBLIC_API}/openapi.json`,
      ...SIGN_INS.slice(0, 3),
      'GET /health/live',
      'GET /health/ready',
      ...SHARED,
      ...OAUTH_PREFLIGHTS,
      ...SIGN_INS.slice(3),
      ...OAUTH,
    ]);
  });

  it('count for the limit of a client address if they are public, except for probes', () => {
    const ofLimit = (limit: string): string[] =>
      routes
        .filter((route) => accessOf(route) === 'public' && addressLimitOf(route.handler) === limit)
        .map(named);
    expect(ofLimit('none')).toEqual(['GET /health/live', 'GET /health/ready']);
    expect(ofLimit('files')).toEqual(routes.filter(isPage).map(named));
    expect(ofLimit('requests').sort()).toEqual([
      'ALL /{*path}',
      ...OAUTH_METADATA,
      `GET /${PUBLIC_API}/openapi.json`,
      ...SIGN_INS.slice(0, 3),
      ...SHARED,
      ...OAUTH_PREFLIGHTS,
      ...SIGN_INS.slice(3),
      ...OAUTH,
    ]);
  });

  it('have the request interceptor if it does anything for them', () => {
    const wrapped = (route: Route): boolean =>
      (
        (Reflect.getMetadata(INTERCEPTORS_METADATA, route.handler) as unknown[] | undefined) ?? []
      ).includes(RequestInterceptor);
    // Routes for unknown paths take any method, and use no database.
    const needing = routes.filter(
      ({ method, handler }) => method !== 'ALL' && needsRequestInterceptor(handler),
    );
    expect(needing.length).toBeGreaterThan(100);
    expect(routes.filter(wrapped).map(named)).toEqual(needing.map(named));
  });

  it('require a SCIM token below /scim/v2, and no other routes do', () => {
    const ofScim = routes.filter((route) => accessOf(route) === 'scim').map(named);
    expect(ofScim.length).toBe(22);
    expect(ofScim).toEqual(routes.filter(isScim).map(named));
  });

  it('require a write permission if they change something', () => {
    const changing = routes.filter(
      (route) =>
        !['GET', 'ALL'].includes(route.method) &&
        !READ_BY_POST.test(route.path) &&
        ![...SIGN_INS, ...OAUTH, ...OAUTH_PREFLIGHTS, MCP].includes(named(route)) &&
        !isScim(route),
    );
    const wrong = changing.filter((route) => !accessOf(route)?.endsWith(':write'));
    expect(changing.length).toBeGreaterThan(10);
    expect(wrong.map(named)).toEqual([]);
  });
});

describe('the routes of the console', () => {
  it('require a session, and no other routes do', () => {
    const asks = routes.filter((route) => accessOf(route) !== 'public');
    const wrong = asks.filter(
      ({ handler, path }) => isForSessions(handler) !== path.startsWith(`/${CONSOLE_API}`),
    );
    expect(routes.filter(isPage).map(named)).toEqual([
      'GET /',
      'GET /sign-in',
      'GET /sign-in/:id',
      'GET /sign-in/:id/callback',
      'GET /invite/:token',
      'GET /oauth/authorize',
      'GET /profile{/*path}',
      'GET /users{/*path}',
      'GET /security',
      'GET /audit',
      'GET /requests',
      'GET /sql',
      'GET /webhooks',
      'GET /connections',
      'GET /workspaces{/*path}',
      'GET /datagrids/*path',
      'GET /assets/:name',
      'GET /docs',
      'GET /docs/guides',
      'GET /docs/guides/:name',
      'GET /docs/guides/:folder/:name',
      'GET /docs/:name',
    ]);
    expect(asks.filter(({ handler }) => isForSessions(handler)).length).toBeGreaterThan(8);
    expect(wrong.map(named)).toEqual([]);
  });
});
