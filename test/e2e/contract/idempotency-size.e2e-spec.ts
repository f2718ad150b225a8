import { randomUUID } from 'node:crypto';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

/** Two keys of 1 kB and a row of 3 kB exceed it. */
const LIMIT = 5_000;

let app: TestApp;
let owner: Member;
let rows: string;

beforeAll(async () => {
  app = await TestApp.shared({ MAX_IDEMPOTENCY_BYTES: String(LIMIT) });
});

beforeEach(async () => {
  owner = await app.newAccount();
  rows = `${await newDatagrid(owner.api, [{ key: 'text', type: 'text' }])}/rows`;
});

afterAll(() => app.close());

const newKey = (): Record<string, string> => ({ 'idempotency-key': randomUUID() });
const row = (length: number): object => ({ values: { text: 'x'.repeat(length) } });
const total = async (): Promise<number> => (await owner.api.get(rows)).body.meta.total as number;
const storedKeys = async ({ 'idempotency-key': key }: Record<string, string>): Promise<number> =>
  (await app.sql.query('SELECT 1 FROM idempotency_keys WHERE key = $1', [key])).rows.length;

describe('stored responses', () => {
  it('are limited for each account: a new key returns 429 before anything is written, an old key its response', async () => {
    const [first, second, third] = [newKey(), newKey(), newKey()];
    expect((await owner.api.post(rows, row(3_000), first)).status).toBe(201);
    expect((await owner.api.post(rows, row(10), second)).status).toBe(201);
    const full = await owner.api.post(rows, row(10), third);
    expectFailure(full, 'rate_limited');
    const retryAfter = Number(full.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(23 * 3_600);
    expect(retryAfter).toBeLessThanOrEqual(25 * 3_600);
    const again = await owner.api.post(rows, row(3_000), first);
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(await total()).toBe(2);
    // Without a key, no response is stored.
    expect((await owner.api.post(rows, row(10))).status).toBe(201);
    const other = await app.newAccount();
    const others = `${await newDatagrid(other.api, [{ key: 'text', type: 'text' }])}/rows`;
    expect((await other.api.post(others, row(10), third)).status).toBe(201);
  });

  it('make room for new keys a day later', async () => {
    const keys = [newKey(), newKey()];
    for (const key of keys) await owner.api.post(rows, row(3_000), key);
    expectFailure(await owner.api.post(rows, row(10), newKey()), 'rate_limited');
    await app.sql.query(`UPDATE idempotency_usage SET hour = hour - interval '25 hours'`);
    expect((await owner.api.post(rows, row(10), newKey())).status).toBe(201);
  });

  it('do not include dry runs', async () => {
    const batch = {
      mode: 'atomic',
      dryRun: true,
      operations: [{ op: 'create', ...row(10) }],
    };
    for (const [path, body] of [
      ['batch', batch],
      ['delete', { filter: { text: 'x' }, dryRun: true }],
    ] as const) {
      const key = newKey();
      const responses = [
        await owner.api.post(`${rows}/${path}`, body, key),
        await owner.api.post(`${rows}/${path}`, body, key),
      ];
      for (const response of responses) {
        dataOf(response, 200);
        expect(response.headers.has('idempotent-replayed')).toBe(false);
      }
      expect(await storedKeys(key)).toBe(0);
    }
  });
});

it('returns 413 before the commit if a response is too large to be stored', async () => {
  const key = newKey();
  const body = { rows: Array.from({ length: 3 }, () => row(800_000)) };
  const response = await owner.api.post(rows, body, key);
  expectFailure(response, 'payload_too_large', ['Idempotency-Key too_large']);
  expect(response.body.error.message).toContain('Prefer: return=minimal');
  expect([await total(), await storedKeys(key)]).toEqual([0, 0]);
  const minimal = await owner.api.post(rows, body, { ...key, prefer: 'return=minimal' });
  expect([minimal.status, await total()]).toEqual([201, 3]);
});
