import { expectFailure } from '../../support/failure';
import { TestApp, type Member } from '../../support/test-app';

let behindProxy: TestApp;
let alone: TestApp;
let lenient: TestApp;
let owner: Member;

beforeAll(async () => {
  const settings = { REQUIRE_HTTPS: 'on' };
  behindProxy = await TestApp.start({ settings: { ...settings, TRUSTED_PROXIES: '127.0.0.1' } });
  alone = await TestApp.start({ settings, database: behindProxy.database });
  lenient = await TestApp.start({ database: behindProxy.database });
  owner = await behindProxy.newAccount();
});

afterAll(async () => {
  await Promise.all([alone.close(), lenient.close()]);
  await behindProxy.close();
});

describe('plain HTTP if HTTPS is required', () => {
  it('returns 403 without a redirect for a valid key, an invalid one and none', async () => {
    for (const key of [owner.key, 'mk_bad', undefined]) {
      const response = await alone.api(key).get('/workspaces');
      expectFailure(response, 'https_required');
      expect(response.headers.get('location')).toBeNull();
    }
  });

  it('changes nothing', async () => {
    expectFailure(await alone.api(owner.key).post('/workspaces', { name: 'x' }), 'https_required');
    const secure = { 'x-forwarded-proto': 'https' };
    expect((await owner.api.get('/workspaces', secure)).body.data).toEqual([]);
  });

  it('returns 403 for the console and its pages', async () => {
    for (const path of ['/console', '/console/api/session', '/docs']) {
      expect((await fetch(alone.origin + path, { redirect: 'manual' })).status).toBe(403);
    }
  });

  it('is allowed for health checks', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      expect((await fetch(alone.origin + path)).status).toBe(200);
    }
  });

  it('is recognized by the X-Forwarded-Proto of a trusted proxy only', async () => {
    const secure = { 'x-forwarded-proto': 'https' };
    const response = await owner.api.get('/me', secure);
    expect(response.status).toBe(200);
    expectFailure(await owner.api.get('/me', { 'x-forwarded-proto': 'http' }), 'https_required');
    expectFailure(await owner.api.get('/me'), 'https_required');
    expectFailure(await alone.api(owner.key).get('/me', secure), 'https_required');
  });
});

describe('Strict-Transport-Security', () => {
  const hstsOf = async (
    { origin }: TestApp,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<string | null> =>
    (await fetch(origin + path, { headers, redirect: 'manual' })).headers.get(
      'strict-transport-security',
    );
  const secure = { 'x-forwarded-proto': 'https' };
  const paths = ['/api/v1/public/me', '/console', '/docs', '/health/live', '/nothing'];

  it.each(paths)('is sent for %s over HTTPS', async (path) => {
    expect(await hstsOf(behindProxy, path, secure)).toMatch(/^max-age=\d+/);
  });

  it.each(paths)('is not sent for %s over plain HTTP', async (path) => {
    expect(await hstsOf(behindProxy, path)).toBeNull();
    expect(await hstsOf(behindProxy, path, { 'x-forwarded-proto': 'http' })).toBeNull();
    // Not a trusted proxy.
    expect(await hstsOf(alone, path, secure)).toBeNull();
    // Without REQUIRE_HTTPS.
    expect(await hstsOf(lenient, path, secure)).toBeNull();
  });
});
