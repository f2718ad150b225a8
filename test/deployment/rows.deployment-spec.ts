import { randomUUID } from 'node:crypto';
import { expectFailure } from '../support/failure';
import { dataOf, newDatagrid, RFC3339 } from '../support/fixture';
import { describePaging } from '../support/paging-contract';
import { apiOf, newWorkspace } from './support/deployment';

const api = apiOf('own');
const COLUMNS = [
  { key: 'code', type: 'text', unique: true, required: true },
  { key: 'n', type: 'integer', indexed: true },
  { key: 'kind', type: 'select', options: { choices: ['a', 'b'] } },
];

let workspace: string;
let grid: string;
let rows: string;

beforeAll(async () => {
  workspace = await newWorkspace();
});

beforeEach(async () => {
  grid = await newDatagrid(api, COLUMNS, workspace);
  rows = `${grid}/rows`;
});

const row = (code: string, n?: number): object => ({
  values: { code, ...(n !== undefined && { n }) },
});

describe('a row', () => {
  it('is created, read, updated, replaced and deleted', async () => {
    const made = dataOf(await api.post(rows, row('A', 1)), 201);
    const createdAt = made.createdAt as string;
    expect(made).toEqual({
      id: 1,
      values: { code: 'A', n: 1 },
      revision: expect.any(Number),
      createdAt: expect.stringMatching(RFC3339),
      updatedAt: createdAt,
    });
    const path = `${rows}/1`;
    const read = await api.get(path);
    expect(dataOf(read, 200)).toEqual(made);
    const etag = read.headers.get('etag') ?? '';
    const merged = await api.patch(path, { values: { n: null, kind: 'b' } }, { 'if-match': etag });
    expect(dataOf(merged, 200).values).toEqual({ code: 'A', kind: 'b' });
    const late = await api.patch(path, { values: { n: 2 } }, { 'if-match': etag });
    expectFailure(late, 'precondition_failed');
    expect(dataOf(await api.put(path, row('B')), 200).values).toEqual({ code: 'B' });
    expect((await api.delete(path)).status).toBe(204);
    expectFailure(await api.get(path), 'not_found');
    // The id of a deleted row is never used again.
    expect(dataOf(await api.post(rows, row('B')), 201).id).toBe(2);
  });

  it('returns 400 and names the values that do not fit their columns', async () => {
    const wrong = { values: { code: 'A', n: 1.5, kind: 'c', other: 1 } };
    expectFailure(await api.post(rows, wrong), 'invalid_request', [
      'values.n wrong_type',
      'values.kind not_a_choice',
      'values.other unknown_column',
    ]);
    expectFailure(await api.post(rows, { values: {} }), 'invalid_request', [
      'values.code required',
    ]);
    expect((await api.get(rows)).body.meta.total).toBe(0);
  });

  it('returns 409 if its unique value is already used', async () => {
    dataOf(await api.post(rows, row('A')), 201);
    expectFailure(await api.post(rows, row('A')), 'conflict', ['values.code duplicate']);
  });

  it('is created once if its request is repeated with its Idempotency-Key', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const first = await api.post(rows, row('A', 1), key);
    expect(first.status).toBe(201);
    const again = await api.post(rows, row('A', 1), key);
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expectFailure(await api.post(rows, row('B', 1), key), 'idempotency_key_reused');
    const shared = { 'idempotency-key': randomUUID() };
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => api.post(rows, row('C'), shared)),
    );
    expect(responses.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    expect((await api.get(rows)).body.meta.total).toBe(2);
  });
});

describe('many rows', () => {
  it('are created all or none', async () => {
    const twice = [row('A'), row('B'), row('A')];
    expectFailure(await api.post(rows, { rows: twice }), 'conflict', [
      'rows.2.values.code duplicate',
    ]);
    const made = await api.post(rows, { rows: [row('A'), row('B')] });
    expect(dataOf(made, 201)).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect(made.body.meta).toEqual({ total: 2, page: 1, pageSize: 2, totalPages: 1 });
  });

  it('are upserted by a unique column', async () => {
    dataOf(await api.post(rows, row('A', 1)), 201);
    const body = { matchOn: ['code'], rows: [row('A', 2), row('B', 1), row('A', 2)] };
    expect((await api.put(rows, body)).status).toBe(400);
    const { results } = dataOf(await api.put(rows, { ...body, rows: body.rows.slice(0, 2) }), 200);
    expect(results).toMatchObject([
      { status: 'updated', id: 1, row: { values: { code: 'A', n: 2 } } },
      { status: 'created', id: 2 },
    ]);
  });

  it('are changed by a batch in order, in both modes', async () => {
    const operations = [
      { op: 'create', values: { code: 'A' } },
      { op: 'update', id: 1, values: { n: 7 } },
      { op: 'delete', id: 99 },
    ];
    const atomic = await api.post(`${rows}/batch`, { mode: 'atomic', operations });
    expectFailure(atomic, 'not_found', ['operations.2.id not_found']);
    expect((await api.get(rows)).body.meta.total).toBe(0);
    const partial = await api.post(`${rows}/batch`, { mode: 'partial', operations });
    expect(dataOf(partial, 200).results).toMatchObject([
      { status: 'created', id: 1 },
      { status: 'updated', id: 1, row: { values: { code: 'A', n: 7 } } },
      { status: 'error', error: { code: 'not_found' } },
    ]);
  });

  it('are deleted by a filter, up to maxAffected', async () => {
    dataOf(await api.post(rows, { rows: [row('A', 1), row('B', 2), row('C', 3)] }), 201);
    const filter = { n: { $gte: 2 } };
    const counted = await api.post(`${rows}/delete`, { filter, dryRun: true });
    expect(dataOf(counted, 200)).toEqual({ deleted: 2 });
    const bounded = await api.post(`${rows}/delete`, { filter, maxAffected: 1 });
    expectFailure(bounded, 'conflict', ['maxAffected too_many']);
    expect(dataOf(await api.post(`${rows}/delete`, { filter }), 200)).toEqual({ deleted: 2 });
    expect((await api.get(rows)).body.meta.total).toBe(1);
  });
});

describe('a query', () => {
  it('filters, sorts, selects fields and follows cursors', async () => {
    const values = ['D', 'B', 'C', 'A', 'E'].map((code, n) => row(code, n));
    dataOf(await api.post(rows, { rows: values }), 201);
    const filter = encodeURIComponent(JSON.stringify({ n: { $gte: 1 }, code: { $ne: 'E' } }));
    const found = await api.get(`${rows}?filter=${filter}&sort=-code&fields=code`);
    const page = found.body.data as { values: object }[];
    expect(page.map(({ values: each }) => each)).toEqual([
      { code: 'C' },
      { code: 'B' },
      { code: 'A' },
    ]);
    expect(found.body.meta).toEqual({ total: 3, page: 1, pageSize: 3, totalPages: 1 });
    const searched = await api.post(`${rows}/query`, { q: 'e', sort: 'n' });
    expect(dataOf(searched, 200)).toMatchObject([{ values: { code: 'E' } }]);

    const scanned: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await api.get(
        `${rows}?sort=code&limit=2&cursor=${encodeURIComponent(cursor)}`,
      );
      const read = body.data as { values: { code: string } }[];
      scanned.push(...read.map((each) => each.values.code));
      cursor = body.meta.nextCursor as string | null;
    }
    expect(scanned).toEqual(['A', 'B', 'C', 'D', 'E']);
  });
});

describe('pages of rows', () => {
  const paged = { api, path: '', total: 30, hasCursor: true as const };

  beforeAll(async () => {
    paged.path = `${await newDatagrid(api, COLUMNS, await newWorkspace())}/rows`;
    const all = Array.from({ length: 30 }, (_, n) => row(`R${String(n)}`, n));
    dataOf(await api.post(paged.path, { rows: all }), 201);
  });

  describePaging(() => paged);

  it('are also served at `records`', async () => {
    const [rowsThere, records] = [paged.path, paged.path.replace(/rows$/, 'records')];
    expect((await api.get(records)).body).toEqual((await api.get(rowsThere)).body);
  });
});
