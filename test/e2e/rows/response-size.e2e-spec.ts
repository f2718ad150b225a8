import { randomUUID } from 'node:crypto';
import type { ApiResponse } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const LIMIT = 100_000;
const MINIMAL = { prefer: 'return=minimal' };
const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'note', type: 'text' },
];

let app: TestApp;
let owner: Member;
let rows: string;

beforeAll(async () => {
  app = await TestApp.shared({ MAX_BATCH_BYTES: String(LIMIT) });
  owner = await app.newAccount();
});

beforeEach(async () => {
  rows = `${await newDatagrid(owner.api, COLUMNS)}/rows`;
});

afterAll(() => app.close());

const newKey = (): Record<string, string> => ({ 'idempotency-key': randomUUID() });
const revision = async (): Promise<number> =>
  dataOf(await owner.api.get(rows.replace(/\/rows$/, '')), 200).revision as number;
const total = async (): Promise<number> => (await owner.api.get(rows)).body.meta.total as number;
const large = (sku: string): object => ({ values: { sku, note: 'x'.repeat(10_000) } });

/** Returns a batch of one create and 20 updates of a row of 10 kB that change nothing. */
const noOps = (mode: string): object => ({
  mode,
  operations: [
    { op: 'create', values: { sku: 'new' } },
    ...Array.from({ length: 20 }, () => ({ op: 'update', id: 1, values: {} })),
  ],
});

const expectTooLarge = (response: ApiResponse, field: string): void => {
  expectFailure(response, 'payload_too_large', [`${field} too_large`]);
  expect(response.body.error.message).toContain('Prefer: return=minimal');
};

describe('results that are larger than a response may be', () => {
  it('are counted in bytes, of which a character may have three', async () => {
    const note = '€'.repeat(LIMIT / 10);
    dataOf(await owner.api.post(rows, { values: { sku: 'a', note } }), 201);
    const update = (count: number): object => ({
      mode: 'atomic',
      operations: Array.from({ length: count }, () => ({ op: 'update', id: 1, values: {} })),
    });
    expect((await owner.api.post(`${rows}/batch`, update(3))).status).toBe(200);
    expectTooLarge(await owner.api.post(`${rows}/batch`, update(4)), 'operations');
  });

  it.each(['atomic', 'partial'])(
    'are rejected with 413 before the commit of a batch in mode %s',
    async (mode) => {
      await owner.api.post(rows, large('a'));
      const before = await revision();
      expectTooLarge(await owner.api.post(`${rows}/batch`, noOps(mode)), 'operations');
      expectTooLarge(await owner.api.post(`${rows}/batch`, noOps(mode), newKey()), 'operations');
      expect([await revision(), await total()]).toEqual([before, 1]);
    },
  );

  it('are rejected with 413 before the commit of an upsert', async () => {
    for (let id = 0; id < 9; id += 1) await owner.api.post(rows, large(`a${String(id)}`));
    const before = await revision();
    const upsert = {
      matchOn: ['sku'],
      rows: Array.from({ length: 12 }, (_, id) => large(`a${String(id)}`)),
    };
    expectTooLarge(await owner.api.put(rows, upsert), 'rows');
    expect(await revision()).toBe(before);
    const minimal = await owner.api.put(rows, upsert, MINIMAL);
    expect(dataOf(minimal, 200).results).toHaveLength(12);
  });

  it('are returned as ids and revisions with Prefer: return=minimal', async () => {
    await owner.api.post(rows, large('a'));
    const response = await owner.api.post(`${rows}/batch`, noOps('atomic'), MINIMAL);
    expect(response.headers.get('preference-applied')).toBe('return=minimal');
    const { results } = dataOf(response, 200) as { results: object[] };
    expect(results).toHaveLength(21);
    expect(results.slice(0, 2)).toEqual([
      { status: 'created', id: 2, revision: 2 },
      { status: 'unchanged', id: 1, revision: 1 },
    ]);
  });
});

describe('Prefer: return=minimal', () => {
  it('creates rows and returns them without values', async () => {
    const one = await owner.api.post(rows, large('a'), MINIMAL);
    expect(Object.keys(dataOf(one, 201) as object)).toEqual([
      'id',
      'revision',
      'createdAt',
      'updatedAt',
    ]);
    expect(one.headers.get('etag')).toBe('"1-1"');
    const many = await owner.api.post(rows, { rows: [large('b'), large('c')] }, MINIMAL);
    expect(many.body.meta.total).toBe(2);
    expect(many.body.data).toMatchObject([
      { id: 2, revision: 2 },
      { id: 3, revision: 2 },
    ]);
    expect(many.text).not.toContain('values');
    expect(await total()).toBe(3);
  });

  it('returns ids and revisions of a batch that only creates', async () => {
    const operations = ['a', 'b'].map((sku) => ({ op: 'create', values: { sku } }));
    const response = await owner.api.post(`${rows}/batch`, { mode: 'atomic', operations }, MINIMAL);
    expect(dataOf(response, 200)).toEqual({
      results: [
        { status: 'created', id: 1, revision: 1 },
        { status: 'created', id: 2, revision: 1 },
      ],
      revision: 1,
    });
  });

  it.each([
    ['respond-async, return=minimal; wait=10', true],
    ['return="minimal"', true],
    ['return=representation, return=minimal', false],
    ['something=else', false],
  ])('is read from "%s"', async (prefer, isApplied) => {
    const response = await owner.api.post(rows, { values: {} }, { prefer });
    expect(response.headers.has('preference-applied')).toBe(isApplied);
    expect('values' in (dataOf(response, 201) as object)).toBe(!isApplied);
  });

  it('is not reported as applied if the request fails', async () => {
    dataOf(await owner.api.post(rows, large('a')), 201);
    for (const headers of [MINIMAL, { ...MINIMAL, ...newKey() }]) {
      const response = await owner.api.post(rows, large('a'), headers);
      expect([response.status, response.headers.has('preference-applied')]).toEqual([409, false]);
    }
  });

  it('is replayed with its Idempotency-Key', async () => {
    const headers = { ...MINIMAL, ...newKey() };
    const first = await owner.api.post(rows, large('a'), headers);
    const again = await owner.api.post(rows, large('a'), headers);
    expect([again.text, again.headers.get('preference-applied')]).toEqual([
      first.text,
      'return=minimal',
    ]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  });
});
