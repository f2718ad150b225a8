import { randomUUID } from 'node:crypto';
import type { PoolClient } from 'pg';
import { UserService } from '../../../src/auth/user/user.service';
import { RetentionService } from '../../../src/retention/retention.service';
import { API, type ApiResponse, type ApiClient } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { dataOf, freshName, newDatagrid, newWorkspace } from '../../support/fixture';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let other: TestApp;
let owner: Member;
let rows: string;

beforeAll(async () => {
  app = await TestApp.alone('Its trigger fails on rows of any account.');
  other = await TestApp.start({ database: app.database });
  owner = await app.newAccount();
});

beforeEach(async () => {
  rows = `${await newDatagrid(owner.api, [{ key: 'sku', type: 'text', unique: true }])}/rows`;
});

afterAll(async () => {
  await other.close();
  await app.close();
});

type Headers = Record<string, string>;

const newKey = (): Headers => ({ 'idempotency-key': randomUUID() });
const row = (sku: string): object => ({ values: { sku } });
const totalOf = async (path: string): Promise<number> =>
  (await owner.api.get(path)).body.meta.total as number;

function expectReplay(again: ApiResponse, first: ApiResponse): void {
  expect(first.headers.has('idempotent-replayed')).toBe(false);
  expect({ ...seen(again), replayed: again.headers.get('idempotent-replayed') }).toEqual({
    ...seen(first),
    replayed: 'true',
  });
}

const seen = ({ status, text, headers }: ApiResponse): object => ({
  status,
  text,
  etag: headers.get('etag'),
  type: headers.get('content-type'),
  cache: headers.get('cache-control'),
});

const keptKeys = async ({ 'idempotency-key': key }: Headers): Promise<number> => {
  const text = 'SELECT 1 FROM idempotency_keys WHERE key = $1';
  return (await app.sql.query(text, [key])).rows.length;
};

/** Holds the lock of the datagrid, for which every write waits, while `work` runs. */
async function holding<T>(path: string, work: (holder: PoolClient) => Promise<T>): Promise<T> {
  const holder = await app.sql.connect();
  try {
    await holder.query('BEGIN');
    const lock = 'SELECT 1 FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE';
    await holder.query(lock, [path.split('/')[2]]);
    return await work(holder);
  } finally {
    await holder.query('ROLLBACK');
    holder.release();
  }
}

/** Returns the backend that waits for this lock. */
async function waitingBackend(): Promise<number> {
  return eventually(async () => {
    const { rows: found } = await app.sql.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
       AND wait_event_type = 'Lock' AND query LIKE '%datagrid_counters%'`,
    );
    return found[0]?.pid;
  });
}

describe('concurrent requests with one Idempotency-Key over two instances', () => {
  it('create one row and return the same response', async () => {
    const key = newKey();
    const apis = [owner.api, other.api(owner.key)];
    const untilResponse = async (api: ApiClient): Promise<ApiResponse> =>
      eventually(async () => {
        const response = await api.post(rows, row('once'), key);
        if (response.status === 201) return response;
        expectFailure(response, 'idempotency_key_in_use');
        expect(response.headers.get('retry-after')).toBe('1');
        return undefined;
      });
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => untilResponse(apis[index % 2] ?? owner.api)),
    );
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(new Set(responses.map(({ headers }) => headers.get('etag'))).size).toBe(1);
    const fresh = responses.filter(({ headers }) => !headers.has('idempotent-replayed'));
    expect(fresh).toHaveLength(1);
    expect(await totalOf(rows)).toBe(1);
  });

  it('return 409 while the first one is in progress', async () => {
    const key = newKey();
    const [first, second] = await holding(rows, async (holder) => {
      const inProgress = owner.api.post(rows, row('slow'), key);
      await waitingBackend();
      const meanwhile = await other.api(owner.key).post(rows, row('slow'), key);
      await holder.query('ROLLBACK');
      return [await inProgress, meanwhile];
    });
    dataOf(first, 201);
    expectFailure(second, 'idempotency_key_in_use');
    expectReplay(await owner.api.post(rows, row('slow'), key), first);
  });
});

describe('an Idempotency-Key', () => {
  it('returns 409 and changes nothing if it is reused with another body, path, query or method', async () => {
    const key = newKey();
    const path = `/workspaces/${await newWorkspace(owner.api)}`;
    const first = await owner.api.patch(path, { description: 'A' }, key);
    dataOf(first, 200);
    const others = [
      await owner.api.patch(path, { description: 'B' }, key),
      await owner.api.patch(path, '{"description": "A"}', key),
      await owner.api.delete(path, key),
      await owner.api.delete(`${path}?cascade=true`, key),
      await owner.api.post('/workspaces', { description: 'A' }, key),
    ];
    for (const response of others) expectFailure(response, 'idempotency_key_reused');
    expect((await owner.api.get(path)).body).toEqual(first.body);
    expectReplay(await owner.api.patch(path, { description: 'A' }, key), first);
  });

  it('belongs to one user: another user or account may use the same key', async () => {
    const key = newKey();
    const name = freshName();
    const first = await owner.api.post('/workspaces', { name }, key);
    const outsider = await app.newAccount();
    const theirs = await outsider.api.post('/workspaces', { name }, key);
    expect(dataOf(theirs, 201).id).not.toBe(dataOf(first, 201).id);
    const colleague = await app.newUser(owner.accountId, 'admin');
    const colleagues = await colleague.api.post('/workspaces', { name }, key);
    expectFailure(colleagues, 'conflict', ['name duplicate']);
    expectReplay(await other.api(owner.key).post('/workspaces', { name }, key), first);
  });

  it('is checked after permissions: a user who lost the right gets 403 and no replay', async () => {
    const key = newKey();
    const admin = await app.newUser(owner.accountId, 'admin');
    const first = await admin.api.post('/workspaces', { name: freshName() }, key);
    dataOf(first, 201);
    await app.nest.get(UserService).setRole(admin.email, 'viewer');
    expectFailure(await admin.api.post('/workspaces', {}, key), 'forbidden');
  });

  it.each([
    ['', 'invalid_format'],
    ['x'.repeat(256), 'invalid_format'],
    ['schlüssel', 'invalid_format'],
    ['tab\there', 'invalid_format'],
  ])('returns 400 for the malformed value %j', async (key, code) => {
    const response = await owner.api.post(rows, row('x'), { 'idempotency-key': key });
    expectFailure(response, 'invalid_request', [`Idempotency-Key ${code}`]);
    expect(await totalOf(rows)).toBe(0);
  });

  it.each(['k', 'x'.repeat(255), '"quoted"', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~ ok'])(
    'accepts the value %s',
    async (key) => {
      const headers = { 'idempotency-key': key };
      const first = await owner.api.post(rows, row(key), headers);
      dataOf(first, 201);
      expectReplay(await owner.api.post(rows, row(key), headers), first);
      await app.sql.query('DELETE FROM idempotency_keys');
    },
  );

  it('returns 400 if it is sent twice', async () => {
    const body = JSON.stringify(row('x'));
    const response = await sendRaw(
      app.port,
      rawRequest(
        [
          `POST ${API}${rows} HTTP/1.1`,
          'Host: x',
          `Authorization: Bearer ${owner.key}`,
          'Content-Type: application/json',
          `Content-Length: ${String(body.length)}`,
          'Idempotency-Key: a',
          'Idempotency-Key: a',
        ],
        body,
      ),
    );
    expectFailure(response, 'invalid_request', ['Idempotency-Key duplicate_header']);
  });

  it('is ignored by reads, including reads by POST', async () => {
    const bad = { 'idempotency-key': 'x'.repeat(300) };
    expect((await owner.api.get(rows, bad)).status).toBe(200);
    const key = newKey();
    expect((await owner.api.post(`${rows}/query`, {}, bad)).status).toBe(200);
    expect((await owner.api.post(`${rows}/query`, {}, key)).status).toBe(200);
    expect(await keptKeys(key)).toBe(0);
  });

  it('expires after 24 hours and is deleted', async () => {
    const key = newKey();
    const body = { values: {} };
    const first = await owner.api.post(rows, body, key);
    const age = (interval: string): Promise<unknown> =>
      app.sql.query(`UPDATE idempotency_keys SET created_at = now() - interval '${interval}'`);
    await age('23 hours 59 minutes');
    await app.nest.get(RetentionService, { strict: false }).runOnce();
    expectReplay(await owner.api.post(rows, body, key), first);
    await age('24 hours 1 minute');
    const anew = await owner.api.post(rows, body, key);
    expect(dataOf(anew, 201).id).toBe(2);
    expectReplay(await owner.api.post(rows, body, key), anew);
    await age('24 hours 1 minute');
    await app.nest.get(RetentionService, { strict: false }).runOnce();
    expect(await keptKeys(key)).toBe(0);
  });
});

describe('a write that fails in the middle', () => {
  it('creates one row if it is sent again with its Idempotency-Key', async () => {
    const key = newKey();
    const killed = await holding(rows, async (holder) => {
      const inProgress = owner.api.post(rows, row('killed'), key);
      await holder.query('SELECT pg_terminate_backend($1)', [await waitingBackend()]);
      return inProgress;
    });
    expectFailure(killed, 'unavailable');
    expect(await keptKeys(key)).toBe(0);
    const retried = await other.api(owner.key).post(rows, row('killed'), key);
    expect(dataOf(retried, 201).id).toBe(1);
    expectReplay(await owner.api.post(rows, row('killed'), key), retried);
    expect(await totalOf(rows)).toBe(1);
  });

  it('is retried as a whole after serialization failures, and its response is stored', async () => {
    await app.sql.query(`
      CREATE SEQUENCE attempts;
      CREATE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('attempts') <= 2 THEN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER fail_twice BEFORE INSERT ON rows FOR EACH ROW EXECUTE FUNCTION fail_twice()`);
    try {
      const key = newKey();
      const first = await owner.api.post(rows, row('again'), key);
      expect(dataOf(first, 201).id).toBe(1);
      expectReplay(await owner.api.post(rows, row('again'), key), first);
    } finally {
      await app.sql.query('DROP FUNCTION fail_twice CASCADE; DROP SEQUENCE attempts');
    }
  });
});

describe('a replay', () => {
  it('returns every kind of stored response: 201, 200 and 204, for one row and many', async () => {
    const calls: ((key: Headers) => Promise<ApiResponse>)[] = [
      (key) => owner.api.post(rows, { rows: [row('a'), row('ü')] }, key),
      (key) => owner.api.post(rows, row('c'), key),
      (key) => owner.api.patch(`${rows}/1`, row('d'), key),
      (key) => owner.api.put(`${rows}/1`, row('e'), key),
      (key) => owner.api.delete(`${rows}/2`, key),
      (key) => owner.api.patch(rows.replace('/rows', ''), { description: 'x' }, key),
      (key) => owner.api.delete(rows.replace('/rows', ''), key),
    ];
    const statuses: number[] = [];
    for (const call of calls) {
      const key = newKey();
      const first = await call(key);
      expectReplay(await call(key), first);
      statuses.push(first.status);
    }
    expect(statuses).toEqual([201, 201, 200, 200, 204, 200, 204]);
  });

  it('accepts a compressed body with the same content', async () => {
    const key = newKey();
    const first = await owner.api.post(rows, row('x'), key);
    const { gzipSync } = await import('node:zlib');
    const zipped = gzipSync(JSON.stringify(row('x')));
    const again = await owner.api.post(rows, zipped, { ...key, 'content-encoding': 'gzip' });
    expectReplay(again, first);
  });

  it('returns the same 409 byte for byte, even if the unique value is free by then', async () => {
    dataOf(await owner.api.post(rows, row('taken')), 201);
    const key = newKey();
    const first = await owner.api.post(rows, row('taken'), key);
    expectFailure(first, 'conflict', ['values.sku duplicate']);
    await owner.api.delete(`${rows}/1`);
    expectReplay(await owner.api.post(rows, row('taken'), key), first);
    expect(await totalOf(rows)).toBe(0);
    dataOf(await owner.api.post(rows, row('taken'), newKey()), 201);
  });

  it('returns the same 409, and nothing of the rejected change is stored', async () => {
    await owner.api.post(rows, { rows: [row('a'), row('b')] });
    const before = await owner.api.get(rows.replace('/rows', ''));
    const key = newKey();
    const first = await owner.api.patch(`${rows}/2`, row('a'), key);
    expectFailure(first, 'conflict', ['values.sku duplicate']);
    expectReplay(await owner.api.patch(`${rows}/2`, row('a'), key), first);
    const after = await owner.api.get(rows.replace('/rows', ''));
    expect(after.body).toEqual(before.body);
    const named = newKey();
    const name = before.body.data.name as string;
    const path = `/workspaces/${before.body.data.workspaceId as string}/datagrids`;
    const taken = await owner.api.post(path, { name }, named);
    expectFailure(taken, 'conflict', ['name duplicate']);
    expectReplay(await owner.api.post(path, { name }, named), taken);
  });

  it('returns the stored 412, and not 412 for a change that was made', async () => {
    const created = await owner.api.post(rows, row('a'));
    const ifMatch = { 'if-match': created.headers.get('etag') ?? '' };
    const key = { ...newKey(), ...ifMatch };
    const first = await owner.api.patch(`${rows}/1`, row('b'), key);
    dataOf(first, 200);
    expectReplay(await owner.api.patch(`${rows}/1`, row('b'), key), first);
    const late = { ...newKey(), ...ifMatch };
    const rejected = await owner.api.patch(`${rows}/1`, row('c'), late);
    expectFailure(rejected, 'precondition_failed');
    expectReplay(await owner.api.patch(`${rows}/1`, row('c'), late), rejected);
  });
});

describe('an Idempotency-Key of a failed request', () => {
  it('can be used again after 400, 404, 413 and 415', async () => {
    const key = newKey();
    expectFailure(await owner.api.post(rows, { values: { sku: 1 } }, key), 'invalid_request', [
      'values.sku wrong_type',
    ]);
    expectFailure(await owner.api.post(rows, '{"values":', key), 'invalid_request', [
      'body malformed_json',
    ]);
    expectFailure(await owner.api.patch(`${rows}/1`, row('x'), key), 'not_found');
    const plain = { ...key, 'content-type': 'text/plain' };
    expectFailure(await owner.api.post(rows, row('x'), plain), 'unsupported_media_type');
    const large = row('x'.repeat(2 * 1024 * 1024));
    expectFailure(await owner.api.post(rows, large, key), 'payload_too_large', [
      'values too_large',
    ]);
    expect(await keptKeys(key)).toBe(0);
    dataOf(await owner.api.post(rows, row('x'), key), 201);
  });

  it('can be used again after 500', async () => {
    const key = newKey();
    await app.sql.query('ALTER TABLE unique_values RENAME TO hidden');
    const failed = await owner.api.post(rows, row('x'), key);
    await app.sql.query('ALTER TABLE hidden RENAME TO unique_values');
    expectFailure(failed, 'internal');
    expect(await keptKeys(key)).toBe(0);
    dataOf(await owner.api.post(rows, row('x'), key), 201);
  });

  it('can be used again after 429', async () => {
    const settings = { RATE_LIMIT_REQUESTS: '1' };
    const limited = await TestApp.start({ database: app.database, settings });
    try {
      const api = limited.api(owner.key);
      await api.get('/me');
      const key = newKey();
      expectFailure(await api.post(rows, row('x'), key), 'rate_limited');
      dataOf(await owner.api.post(rows, row('x'), key), 201);
    } finally {
      await limited.close();
    }
  });
});
