import { isApiKeyToken } from '../../src/auth/api-key/api-key-token';
import { NO_ID, RFC3339, UUID_V7 } from '../support/fixture';
import { TestApp, type Member } from '../support/test-app';
import { adminError, adminJson, adminProcess } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

let app: TestApp;
let settings: { DATABASE_URL: string };
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  settings = { DATABASE_URL: app.database.url };
  owner = await app.newAccount();
});

afterAll(() => app.close());

interface Listed {
  readonly id: string;
  readonly state: string;
}

const create = (...args: string[]): Promise<{ id: string; key: string }> =>
  adminJson(settings, 'key', 'create', '--email', owner.email, ...args);

const UNLIMITED = { scopes: null, workspaceIds: null, datagridIds: null };

describe('key create', () => {
  it('creates a key that works at once', async () => {
    const made = await create('--name', 'Pipeline');
    expect(made).toEqual({ id: expect.stringMatching(UUID_V7), key: expect.any(String) });
    expect(isApiKeyToken(made.key)).toBe(true);
    const { body } = await app.api(made.key).get('/me');
    const expected = { id: made.id, name: 'Pipeline', expiresAt: null, ...UNLIMITED };
    expect(body.data.key).toEqual(expected);
  });

  it('creates a key that expires after the given time', async () => {
    const before = Date.now();
    const { key } = await create('--expires-in', '30d');
    const { expiresAt } = (await app.api(key).get('/me')).body.data.key;
    const leftSeconds = (Date.parse(expiresAt) - before) / 1000;
    expect(leftSeconds).toBeGreaterThanOrEqual(30 * 86_400);
    expect(leftSeconds).toBeLessThan(30 * 86_400 + 30);
  });

  it('rejects more keys than a user may have, and says what to do', async () => {
    const { email } = await app.newUser(owner.accountId, 'viewer');
    const bounded = { ...settings, MAX_KEYS_PER_USER: '1' };
    expect(await adminError(bounded, 'key', 'create', '--email', email)).toEqual({
      code: 'quota_exceeded',
      message: 'A user may have 1 active API keys. Revoke one first.',
    });
  });

  it('rejects an unknown email address', async () => {
    const args = ['key', 'create', '--email', 'nobody@example.com'];
    expect(await adminError(settings, ...args)).toMatchObject({ code: 'not_found' });
  });
});

describe('key list', () => {
  it('prints keys with their state, but no key in clear text', async () => {
    const user = await app.newUser(owner.accountId, 'viewer');
    const email = ['--email', user.email];
    expect((await user.api.get('/me')).status).toBe(200);
    const revoked = await adminJson(settings, 'key', 'create', ...email);
    await adminJson(settings, 'key', 'revoke', '--id', revoked.id);
    const expired = await adminJson(settings, 'key', 'create', ...email, '--expires-in', '1h');
    await app.sql.query("UPDATE api_keys SET expires_at = now() - interval '1s' WHERE id = $1", [
      expired.id,
    ]);

    const { keys } = (await adminJson(settings, 'key', 'list', ...email)) as { keys: Listed[] };
    const states = keys.map(({ id, state }) => [id, state]);
    expect(states).toEqual([
      [user.keyId, 'active'],
      [revoked.id, 'revoked'],
      [expired.id, 'expired'],
    ]);
    expect(keys[0]).toEqual({
      id: user.keyId,
      name: 'test',
      prefix: user.key.slice(0, 8),
      lastFour: user.key.slice(-4),
      createdAt: expect.stringMatching(RFC3339),
      lastUsedAt: expect.stringMatching(RFC3339),
      expiresAt: null,
      ...UNLIMITED,
      state: 'active',
    });
    const text = await adminProcess(settings, 'key', 'list', ...email);
    for (const { key } of [user, revoked, expired]) {
      expect(JSON.stringify(keys) + text.stdout).not.toContain(key);
    }
  });

  it('prints an empty list for a user without keys', async () => {
    const args = ['--account', owner.accountId, '--email', 'none@example.com', '--role', 'viewer'];
    await adminJson(settings, 'user', 'create', ...args);
    const listed = await adminJson(settings, 'key', 'list', '--email', 'none@example.com');
    expect(listed).toEqual({ keys: [] });
  });
});

describe('key revoke', () => {
  it('applies from the next request and can be repeated', async () => {
    const { id, key } = await create();
    expect((await app.api(key).get('/me')).status).toBe(200);
    const revoked = await adminJson(settings, 'key', 'revoke', '--id', id);
    expect(revoked).toEqual({ id, state: 'revoked' });
    expect((await app.api(key).get('/me')).status).toBe(401);
    expect(await adminJson(settings, 'key', 'revoke', '--id', id)).toEqual(revoked);
  });

  it.each([NO_ID, 'mk_something'])('reports that key %s was not found', async (id) => {
    expect(await adminError(settings, 'key', 'revoke', '--id', id)).toEqual({
      code: 'not_found',
      message: `Key ${id} not found.`,
    });
  });
});
