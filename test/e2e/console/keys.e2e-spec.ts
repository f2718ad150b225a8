import { ApiClient } from '../../support/api-client';
import { CONSOLE, type ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, RFC3339, UUID_V7, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const DAY_MS = 86_400_000;

let app: TestApp;
let replica: TestApp;
let team: Team;
let viewer: ConsoleClient;

beforeAll(async () => {
  app = await TestApp.shared();
  replica = await TestApp.start({ database: app.database });
  team = await newTeam(app);
  viewer = await app.console(team.viewer);
});

afterAll(async () => {
  await replica.close();
  await app.close();
});

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
const statusOf = async (key: string): Promise<number> => (await replica.api(key).get('/me')).status;

describe('API keys in the console', () => {
  it('appear once, when any user creates them, and work immediately', async () => {
    const user = await app.newUser(team.owner.accountId, 'viewer');
    const own = await app.console(user);
    const expiresAt = inDays(30);
    const { key, ...record } = dataOf(
      await own.post('/keys', { name: '  Pipeline ', expiresAt }),
      201,
    );
    expect(key).toMatch(/^mk_[0-9A-Za-z]{36}$/);
    expect(record).toEqual({
      id: expect.stringMatching(UUID_V7),
      name: 'Pipeline',
      prefix: String(key).slice(0, 8),
      lastFour: String(key).slice(-4),
      createdAt: expect.stringMatching(RFC3339),
      lastUsedAt: null,
      expiresAt,
      revokedAt: null,
      replacedById: null,
      scopes: null,
      workspaceIds: null,
      datagridIds: null,
      state: 'active',
    });
    const me = dataOf(await replica.api(key).get('/me'), 200);
    expect(me).toMatchObject({ user: { id: user.userId }, role: 'viewer' });
    const list = await own.get('/keys');
    expect(list.body.data[0]).toMatchObject({ id: record.id, name: 'Pipeline' });
    expect(list.body.data).toHaveLength(2);
    expect(list.body.meta).toEqual({ total: 2, page: 1, pageSize: 2, totalPages: 1 });
    expect(list.text).not.toContain(key);
  });

  it('do not expire if they are created without expiresAt', async () => {
    for (const body of [{ name: 'x', expiresAt: null }, { name: 'x' }]) {
      expect(dataOf(await viewer.post('/keys', body), 201).expiresAt).toBeNull();
    }
  });

  it.each<[object, string[]]>([
    [{}, ['name wrong_type']],
    [{ name: '' }, ['name out_of_range']],
    [{ name: 'x', expiresAt: 'tomorrow' }, ['expiresAt invalid_format']],
    [{ name: 'x', expiresAt: 1 }, ['expiresAt invalid_format']],
    [{ name: 'x', expiresAt: '2020-01-01T00:00:00Z' }, ['expiresAt out_of_range']],
    [{ name: 'x', userId: 'x' }, ['userId unknown_property']],
  ])('return 400 for the body %j', async (body, details) => {
    expectFailure(await viewer.post('/keys', body), 'invalid_request', details);
  });

  it('return 401 on another instance once they are revoked', async () => {
    const { id, key } = dataOf(await viewer.post('/keys', { name: 'Leaked' }), 201);
    expect(await statusOf(key)).toBe(200);
    expect((await viewer.delete(`/keys/${id}`)).status).toBe(204);
    expect(await statusOf(key)).toBe(401);
    const [record] = (await viewer.get('/keys')).body.data;
    expect(record).toMatchObject({
      id,
      state: 'revoked',
      revokedAt: expect.stringMatching(RFC3339),
    });
    expect((await viewer.delete(`/keys/${id}`)).status).toBe(204);
  });

  it('return 404 to all other users, even to the owner of the account', async () => {
    const { id, key } = dataOf(await viewer.post('/keys', { name: 'Mine' }), 201);
    for (const member of [team.owner, await app.newAccount()]) {
      const other = await app.console(member);
      expect((await other.get('/keys')).text).not.toContain(id);
      expectFailure(await other.delete(`/keys/${id}`), 'not_found');
      const rotation = await other.post(`/keys/${id}/rotation`, { keepForSeconds: 0 });
      expectFailure(rotation, 'not_found');
    }
    expect(await statusOf(key)).toBe(200);
  });

  it('can neither create nor list keys', async () => {
    const withKey = new ApiClient(app.origin, team.owner.key, CONSOLE);
    expectFailure(await withKey.get('/keys'), 'unauthenticated');
    expectFailure(await withKey.post('/keys', { name: 'x' }), 'unauthenticated');
    expectFailure(await withKey.get('/session'), 'unauthenticated');
  });

  it('appear neither in the response stored for an Idempotency-Key nor in the log', async () => {
    const headers = { 'idempotency-key': 'again' };
    const { key } = dataOf(await viewer.post('/keys', { name: 'x' }, headers), 201);
    const { rows } = await app.sql.query('SELECT i::text FROM idempotency_keys i');
    expect(JSON.stringify(rows)).not.toContain(key);
    expect(app.logs.join('')).not.toContain(key);
  });
});

describe('the rotation of a key', () => {
  const rotate = (id: string, keepForSeconds: unknown): ReturnType<typeof viewer.post> =>
    viewer.post(`/keys/${id}/rotation`, { keepForSeconds });

  it('creates a new key and lets the old one work for keepForSeconds', async () => {
    const expiresAt = inDays(90);
    const old = dataOf(await viewer.post('/keys', { name: 'Nightly', expiresAt }), 201);
    const before = Date.now();
    const { key, replaced, ...record } = dataOf(await rotate(old.id, 3_600), 201);
    expect([await statusOf(key), await statusOf(old.key)]).toEqual([200, 200]);
    expect(record).toMatchObject({ name: 'Nightly', state: 'active' });
    expect(record.id).not.toBe(old.id);
    expect(record.replacedById).toBeNull();
    expect(replaced.replacedById).toBe(record.id);
    // The new key gets the same lifetime as the old one had.
    expect(Math.abs(Date.parse(record.expiresAt) - Date.parse(expiresAt))).toBeLessThan(60_000);
    expect({ ...replaced, key: old.key, lastUsedAt: null }).toEqual({
      ...old,
      expiresAt: expect.stringMatching(RFC3339),
      replacedById: record.id,
    });
    const lifeMs = Date.parse(replaced.expiresAt) - before;
    expect(lifeMs).toBeGreaterThan(3_590_000);
    expect(lifeMs).toBeLessThan(3_660_000);
  });

  it('ends the old key at once if keepForSeconds is 0', async () => {
    const old = dataOf(await viewer.post('/keys', { name: 'Leaked' }), 201);
    expect(await statusOf(old.key)).toBe(200);
    const { key, replaced, expiresAt } = dataOf(await rotate(old.id, 0), 201);
    expect([await statusOf(key), await statusOf(old.key)]).toEqual([200, 401]);
    expect(replaced.state).toBe('expired');
    expect(expiresAt).toBeNull();
  });

  it('does not extend the lifetime of the old key', async () => {
    const expiresAt = new Date(Date.now() + 60_000).toISOString();
    const old = dataOf(await viewer.post('/keys', { name: 'Short', expiresAt }), 201);
    const { replaced } = dataOf(await rotate(old.id, 604_800), 201);
    expect(replaced.expiresAt).toBe(expiresAt);
  });

  it('returns 409 for a revoked or expired key', async () => {
    const old = dataOf(await viewer.post('/keys', { name: 'x' }), 201);
    await viewer.delete(`/keys/${old.id}`);
    expectFailure(await rotate(old.id, 0), 'conflict');
    const expired = dataOf(await viewer.post('/keys', { name: 'x' }), 201);
    await app.sql.query(
      'UPDATE api_keys SET expires_at = now() - make_interval(secs => 1) WHERE id = $1',
      [expired.id],
    );
    expectFailure(await rotate(expired.id, 0), 'conflict');
  });

  it.each([-1, 604_801, 1.5, '60', null, undefined])(
    'returns 400 if keepForSeconds is %s',
    async (keep) => {
      const [{ id }] = (await viewer.get('/keys')).body.data;
      expectFailure(await rotate(id, keep), 'invalid_request', ['keepForSeconds out_of_range']);
    },
  );
});
