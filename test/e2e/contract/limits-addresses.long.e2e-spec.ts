import { createApiKeyToken } from '../../../src/auth/api-key/api-key-token';
import { expectFailure } from '../../support/failure';
import { TestApp } from '../../support/test-app';
import { expectPassed, readRateLimit, retryAfterSeconds } from './limits-fields';

const LIMIT = 3;

let base: TestApp;
beforeAll(async () => {
  base = await TestApp.shared();
});
afterAll(() => base.close());

let app: TestApp;
afterEach(() => app.close());

/** Starts a replica that has counted no failures yet. */
async function start(trustedProxies?: string): Promise<void> {
  app = await TestApp.start({
    database: base.database,
    settings: {
      AUTH_FAILURE_LIMIT: String(LIMIT),
      ...(trustedProxies !== undefined && { TRUSTED_PROXIES: trustedProxies }),
    },
  });
}

/** Sends a request without a key and with this X-Forwarded-For. @returns its status. */
async function failFrom(forwardedFor: string): Promise<number> {
  return (await app.api().get('/me', { 'x-forwarded-for': forwardedFor })).status;
}

async function failFromEach(...addresses: string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const address of addresses) statuses.push(await failFrom(address));
  return statuses;
}

const twice = <T>(value: T): T[] => [value, value];

describe('failed authentication from one address', () => {
  beforeEach(() => start());

  it('returns 429 above the limit whatever is wrong with the keys, while a valid key from there works', async () => {
    const good = await base.newAccount();
    const unknown = createApiKeyToken();
    const last = unknown.endsWith('0') ? '1' : '0';
    const bad = [undefined, 'mk_short', unknown, `${unknown.slice(0, -1)}${last}`, ` ${good.key}`];
    const statuses: number[] = [];
    for (const key of bad) statuses.push((await app.api(key).get('/me')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);

    const limited = await app.api(unknown).get('/me');
    expectFailure(limited, 'rate_limited');
    expect(retryAfterSeconds(limited)).toBeLessThanOrEqual(60);

    const response = await app.api(good.key).get('/me');
    expectPassed(response);
    expect(readRateLimit(response)).toMatchObject({ policy: 'default', remaining: 999_999 });
    expectFailure(await app.api(unknown).get('/me'), 'rate_limited');
  });

  it('returns 429 above the limit on all routes together, known or not, whatever the body', async () => {
    const invalid = app.api('mk_bad');
    expectFailure(await invalid.post('/workspaces', '{'), 'unauthenticated');
    expectFailure(await invalid.get('/nowhere'), 'unauthenticated');
    expectFailure(await invalid.delete('/me'), 'unauthenticated');
    expectFailure(await invalid.get('/workspaces/%zz'), 'rate_limited');
  });

  it('does not include requests that are rejected with a valid key', async () => {
    const { accountId } = await base.newAccount();
    const viewer = app.api((await base.newUser(accountId, 'viewer')).key);
    for (let n = 0; n <= LIMIT; n += 1) {
      expectFailure(await viewer.post('/workspaces', { name: 'Denied' }), 'forbidden');
      expectFailure(await viewer.get('/nowhere'), 'not_found');
    }
    expectFailure(await app.api().get('/me'), 'unauthenticated');
  });

  it('does not limit public routes', async () => {
    for (let n = 0; n <= LIMIT; n += 1) await app.api().get('/me');
    expect((await app.api().get('/openapi.json')).status).toBe(200);
    expect((await fetch(`${app.origin}/health/live`)).status).toBe(200);
  });
});

describe('the client address', () => {
  it('is the peer if no proxy is trusted, whatever the headers say', async () => {
    await start();
    const headers = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip'];
    const statuses: number[] = [];
    for (const [index, header] of headers.entries()) {
      const address = `203.0.113.${String(index)}`;
      const value = header === 'forwarded' ? `for=${address}` : address;
      statuses.push((await app.api().get('/me', { [header]: value })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  it('is the peer if another proxy is trusted', async () => {
    await start('192.0.2.1,10.0.0.0/8');
    const addresses = ['203.0.113.1', '203.0.113.2', '10.0.0.1', '192.0.2.1'];
    expect(await failFromEach(...addresses)).toEqual([401, 401, 401, 429]);
  });

  it.each(['127.0.0.1', '192.0.2.1,127.0.0.0/8'])(
    'comes from X-Forwarded-For if %s is trusted',
    async (trusted) => {
      await start(trusted);
      const one = '203.0.113.1';
      expect(await failFromEach(one, one, one, one)).toEqual([401, 401, 401, 429]);
      expect(await failFrom('203.0.113.2')).toBe(401);
      expectFailure(await app.api().get('/me'), 'unauthenticated');
    },
  );

  it('is the one that the trusted proxy added, not one that the client made up', async () => {
    await start('127.0.0.1');
    const statuses = await failFromEach(
      '1.1.1.1, 203.0.113.1',
      '2.2.2.2,203.0.113.1',
      'nonsense, 127.0.0.1, 203.0.113.1',
      '4.4.4.4, 203.0.113.1',
    );
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect(await failFrom('203.0.113.1, 203.0.113.9')).toBe(401);
  });

  it('is the one behind each of several trusted proxies', async () => {
    await start('127.0.0.1,10.0.0.0/8');
    const statuses = await failFromEach(
      '203.0.113.1, 10.0.0.1',
      '203.0.113.1, 10.0.0.2',
      '203.0.113.1, 10.3.2.1, 10.0.0.3',
      '203.0.113.1',
    );
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  it.each([
    ['IPv4', ['203.0.113.1:5678', '203.0.113.1:1', '203.0.113.1', '203.0.113.1:65535']],
    ['IPv6', ['[2001:db8::1]:5678', '[2001:db8::1]:1', '[2001:db8::1]', '2001:db8::1']],
    [
      'a proxy',
      ['203.0.113.1, 127.0.0.1:80', '203.0.113.1:9,127.0.0.2:1', ...twice('203.0.113.1')],
    ],
  ])('is counted without its port: %s', async (_, entries) => {
    await start('127.0.0.0/8');
    expect(await failFromEach(...entries)).toEqual([401, 401, 401, 429]);
    expect(await failFrom('203.0.113.2:5678')).toBe(401);
  });

  it('is the peer if the forwarded value is not an address', async () => {
    await start('127.0.0.0/8');
    const nonsense = ['unknown', '_hidden:80', '203.0.113.1:port', '[203.0.113.1]:80'];
    expect(await failFromEach(...nonsense)).toEqual([401, 401, 401, 429]);
    const more = ['203.0.113.1:123456', '[::1', 'a, b, 127.0.0.1', '1.2.3.4.5:6', '999.1.1.1:80'];
    expect(await failFromEach(...more)).toEqual(more.map(() => 429));
    expectFailure(await app.api().get('/me'), 'rate_limited');
    expect(await failFrom('203.0.113.1')).toBe(401);
  });
});

describe('the address that is counted', () => {
  beforeEach(() => start('127.0.0.1'));

  it('is the /64 of an IPv6 address, in any notation', async () => {
    const statuses = await failFromEach(
      '2001:db8:1:2::1',
      '2001:DB8:1:2:ffff:ffff:ffff:ffff',
      '2001:0db8:0001:0002:0000:0000:0000:0009',
      '2001:db8:1:2:3::',
    );
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect(await failFromEach('2001:db8:1:3::1', '2001:db8:1:1::1')).toEqual([401, 401]);
  });

  it('is the IPv4 address of an IPv4-mapped one, in any notation', async () => {
    const statuses = await failFromEach(
      '198.51.100.1',
      '::ffff:198.51.100.1',
      '::FFFF:c633:6401',
      '0:0:0:0:0:ffff:198.51.100.1',
    );
    expect(statuses).toEqual([401, 401, 401, 429]);
  });

  it('differs between IPv4-mapped addresses, and from the rest of ::/64', async () => {
    const addresses = ['::ffff:198.51.100.1', '::ffff:c633:6402', '::ffff:198.51.100.3'];
    for (let n = 0; n < LIMIT; n += 1) {
      expect(await failFromEach(...addresses)).toEqual([401, 401, 401]);
    }
    expect(await failFromEach(...addresses)).toEqual([429, 429, 429]);
    expect(await failFromEach('::ffff:198.51.100.4', '::1')).toEqual([401, 401]);
  });
});
