import type { Answer, Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'name', type: 'text', required: true },
  { key: 'stock', type: 'integer' },
];

let app: TestApp;
let team: Team;
let datagrid: string;

beforeAll(async () => {
  app = await TestApp.start({ settings: { ROW_LIMIT_BYTES: '2000' } });
  team = await newTeam(app);
});

/** Rows 1 to 3, at revision 1. */
beforeEach(async () => {
  datagrid = await newDatagrid(team.owner.api, COLUMNS);
  const rows = ['a', 'b', 'c'].map((sku) => ({ values: { sku, name: sku.toUpperCase() } }));
  await team.owner.api.post(`${datagrid}/rows`, { rows });
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const send = (body: unknown): Promise<Answer> =>
  team.editor.api.post(`${datagrid}/rows/batch`, body);
const atomic = (...operations: object[]): Promise<Answer> => send({ mode: 'atomic', operations });
const partial = (...operations: object[]): Promise<Answer> => send({ mode: 'partial', operations });

const stored = async (): Promise<Json[]> =>
  (await team.viewer.api.get(`${datagrid}/rows`)).body.data;
const revision = async (): Promise<number> =>
  (await team.viewer.api.get(datagrid)).body.data.revision;

/** Each result as its status, or its error's code and places. */
const summary = (answer: Answer): string[] =>
  (dataOf(answer, 200).results as Json[]).map(({ status, error }) =>
    status === 'error'
      ? [
          error.code,
          ...(error.details as Json[]).map(({ field, code }) => `${field} ${code}`),
        ].join(': ')
      : status,
  );

const EVERY_KIND = [
  { op: 'create', values: { sku: 'd', name: 'D' } },
  { op: 'update', id: 1, values: { stock: 5 } },
  { op: 'replace', id: 2, values: { name: 'B2' } },
  { op: 'delete', id: 3 },
  { op: 'upsert', matchOn: ['sku'], values: { sku: 'a', name: 'A2' } },
  { op: 'upsert', matchOn: ['sku'], values: { sku: 'e', name: 'E' } },
  { op: 'update', id: 1, values: { stock: 5 } },
];

describe('POST /datagrids/{datagridId}/rows/batch', () => {
  describe.each(['atomic', 'partial'])('200, %s', (mode) => {
    it('carries out every kind of operation, with a result for each in order', async () => {
      const { results, revision: after } = dataOf(
        await send({ mode, operations: EVERY_KIND }),
        200,
      );
      const all = await stored();
      expect((results as Json[]).map(({ status, id }) => [status, id])).toEqual([
        ['created', 4],
        ['updated', 1],
        ['updated', 2],
        ['deleted', 3],
        ['updated', 1],
        ['created', 5],
        ['unchanged', 1],
      ]);
      expect(all.map(({ id, values }) => [id, values])).toEqual([
        [1, { sku: 'a', name: 'A2', stock: 5 }],
        [2, { name: 'B2' }],
        [4, { sku: 'd', name: 'D' }],
        [5, { sku: 'e', name: 'E' }],
      ]);
      expect(all.map((row) => row.revision)).toEqual([2, 2, 2, 2]);
      expect(after).toBe(2);
      expect(results[0].row).toEqual(all[2]);
      expect(results[1].row.values).toEqual({ sku: 'a', name: 'A', stock: 5 });
      expect(results[2].row).toEqual(all[1]);
      expect(results[3]).toEqual({ status: 'deleted', id: 3 });
      expect(results[6].row).toEqual(all[0]);
    });

    it('answers the same to a dry run, and changes nothing', async () => {
      const before = await stored();
      const operations = [...EVERY_KIND, { op: 'create', values: { name: 'F' } }];
      const tried = dataOf(await send({ mode, dryRun: true, operations }), 200);
      expect(await stored()).toEqual(before);
      expect(await revision()).toBe(1);
      expect(tried.revision).toBe(1);
      const done = dataOf(await send({ mode, dryRun: false, operations }), 200);
      const idAndStatus = ({ status, id, row }: Json): unknown => [status, id, row?.values];
      const sides = [tried.results, done.results] as Json[][];
      const [one, other] = sides.map((results) => results.map(idAndStatus));
      expect(one).toEqual(other);
    });

    it('leaves the revision where nothing changes', async () => {
      const before = await stored();
      const answer = await send({
        mode,
        operations: [
          { op: 'update', id: 1, values: { name: 'A', stock: null } },
          { op: 'replace', id: 2, values: { name: 'B', sku: 'b' } },
          { op: 'upsert', matchOn: ['sku'], values: { sku: 'c' } },
        ],
      });
      expect(summary(answer)).toEqual(['unchanged', 'unchanged', 'unchanged']);
      expect(answer.body.data.revision).toBe(1);
      expect([await stored(), await revision()]).toEqual([before, 1]);
    });

    it('takes effect in order: rows and values that an operation leaves are free for the next', async () => {
      const answer = await send({
        mode,
        operations: [
          { op: 'update', id: 1, values: { sku: 'x' } },
          { op: 'update', id: 2, values: { sku: 'a' } },
          { op: 'update', id: 1, values: { sku: 'b' } },
          { op: 'delete', id: 3 },
          { op: 'create', values: { sku: 'c', name: 'C2' } },
          { op: 'delete', id: 4 },
          { op: 'upsert', matchOn: ['sku'], values: { sku: 'c', name: 'C3' } },
          { op: 'update', id: 5, values: { stock: 1 } },
        ],
      });
      expect(new Set(summary(answer))).toEqual(new Set(['updated', 'created', 'deleted']));
      expect((await stored()).map(({ id, values }) => [id, values])).toEqual([
        [1, { sku: 'b', name: 'A' }],
        [2, { sku: 'a', name: 'B' }],
        [5, { sku: 'c', name: 'C3', stock: 1 }],
      ]);
      expect(
        (await team.owner.api.post(`${datagrid}/rows`, { values: { name: 'F' } })).body.data.id,
      ).toBe(6);
    });

    it('compares ifRevision with the row as it is at that moment', async () => {
      const answer = await send({
        mode,
        operations: [
          { op: 'update', id: 1, values: { stock: 1 }, ifRevision: 1 },
          { op: 'update', id: 1, values: { stock: 2 }, ifRevision: 2 },
          { op: 'replace', id: 2, values: { name: 'B', sku: 'b' }, ifRevision: 1 },
          { op: 'upsert', matchOn: ['sku'], values: { sku: 'new', name: 'N' }, ifRevision: 9 },
          { op: 'delete', id: 3, ifRevision: 1 },
        ],
      });
      expect(summary(answer)).toEqual(['updated', 'updated', 'unchanged', 'created', 'deleted']);
    });

    it('creates 1,000 rows', async () => {
      const operations = Array.from({ length: 1_000 }, (_, n) => {
        return { op: 'create', values: { sku: `n${String(n)}`, name: 'N' } };
      });
      const { results, revision: after } = dataOf(await send({ mode, operations }), 200);
      expect(after).toBe(2);
      expect((results as Json[]).map(({ id }) => id)).toEqual(operations.map((_, n) => n + 4));
      const last = await team.viewer.api.get(`${datagrid}/rows/1003`);
      expect(last.body.data).toEqual(results[999].row);
    });
  });

  it('200: names rows under records too', async () => {
    const body = { mode: 'atomic', operations: [{ op: 'delete', id: 1 }] };
    const answer = await team.editor.api.post(`${datagrid}/records/batch`, body);
    expect(dataOf(answer, 200)).toEqual({ results: [{ status: 'deleted', id: 1 }], revision: 2 });
  });

  it('200: reads and merges only living columns', async () => {
    await team.owner.api.patch(`${datagrid}/rows/1`, { values: { stock: 7 } });
    await team.owner.api.delete(`${datagrid}/columns/stock`);
    await team.owner.api.post(`${datagrid}/columns`, { key: 'stock', type: 'text' });
    const answer = await atomic(
      { op: 'update', id: 1, values: { name: 'A2' } },
      { op: 'update', id: 1, values: { stock: 'some' } },
    );
    const [first, second] = dataOf(answer, 200).results;
    expect(first.row.values).toEqual({ sku: 'a', name: 'A2' });
    expect(second.row.values).toEqual({ sku: 'a', name: 'A2', stock: 'some' });
    expect((await stored())[0]).toEqual(second.row);
  });

  describe('200, each for itself', () => {
    it('tells for each operation what is wrong, and carries out the others', async () => {
      const answer = await partial(
        { op: 'create', values: { name: 1, other: 2 } },
        { op: 'update', id: 99, values: { stock: 1 } },
        { op: 'update', id: 1, values: { sku: 'b' } },
        { op: 'delete', id: 2, ifRevision: 7 },
        { op: 'upsert', matchOn: ['name'], values: { name: 'A' } },
        { op: 'upsert', matchOn: ['sku'], values: { sku: 'z' } },
        { op: 'replace', id: 3, values: { name: 'x'.repeat(2_000) } },
        { op: 'delete', id: 3 },
        { op: 'update', id: 3, values: { stock: 1 } },
        { op: 'create', values: { sku: 'd', name: 'D' } },
        { op: 'create', values: { sku: 'd', name: 'D' } },
      );
      expect(summary(answer)).toEqual([
        'invalid_request: operations.0.values.name wrong_type: operations.0.values.other unknown_column',
        'not_found: operations.1.id not_found',
        'conflict: operations.2.values.sku duplicate',
        'precondition_failed: operations.3.ifRevision other_revision',
        'invalid_request: operations.4.matchOn.0 not_unique',
        'invalid_request: operations.5.values.name required',
        'payload_too_large: operations.6.values too_large',
        'deleted',
        'not_found: operations.8.id not_found',
        'created',
        'conflict: operations.10.values.sku duplicate',
      ]);
      expect((await stored()).map(({ id }) => id)).toEqual([1, 2, 4]);
      expect(dataOf(answer, 200).results[1]).toEqual({
        status: 'error',
        error: {
          code: 'not_found',
          message: 'There is nothing here.',
          details: [
            {
              field: 'operations.1.id',
              code: 'not_found',
              message: 'is not the id of a row of this datagrid',
            },
          ],
        },
      });
    });

    it('hands out no id for what is not created', async () => {
      await partial({ op: 'create', values: {} }, { op: 'create', values: { name: 'D' } });
      expect((await stored()).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    });
  });

  describe('400', () => {
    it.each<[string, unknown, string]>([
      ['no object', 1, 'body wrong_type'],
      ['no mode', { operations: [] }, 'mode required'],
      ['another mode', { mode: 'all', operations: [] }, 'mode invalid_format'],
      ['no operations', { mode: 'atomic' }, 'operations wrong_type'],
      ['none at all', { mode: 'atomic', operations: [] }, 'operations out_of_range'],
      ['dryRun of text', { mode: 'atomic', operations: [1], dryRun: 'yes' }, 'dryRun wrong_type'],
      ['unknown members', { mode: 'atomic', operations: [], a: 1 }, 'a unknown_member'],
    ])('refuses %s', async (_, body, detail) => {
      expectFailure(await send(body), 'invalid_request', [detail]);
    });

    it.each<[string, unknown, string]>([
      ['no object', 'create', '0 wrong_type'],
      ['no op', { values: {} }, '0.op required'],
      ['another op', { op: 'toString', values: {} }, '0.op invalid_format'],
      ['a create with id', { op: 'create', id: 1, values: {} }, '0.id unknown_member'],
      ['an upsert with id', { op: 'upsert', id: 1, values: {} }, '0.id unknown_member'],
      ['a create with ifRevision', { op: 'create', ifRevision: 1 }, '0.ifRevision unknown_member'],
      ['a delete with values', { op: 'delete', id: 1, values: {} }, '0.values unknown_member'],
      ['an update with matchOn', { op: 'update', matchOn: [] }, '0.matchOn unknown_member'],
      ['a create without values', { op: 'create' }, '0.values required'],
      ['an update without id', { op: 'update', values: {} }, '0.id required'],
      ['an id of 0', { op: 'delete', id: 0 }, '0.id wrong_type'],
      ['an id of text', { op: 'delete', id: '1' }, '0.id wrong_type'],
      ['ifRevision of 1.5', { op: 'delete', id: 1, ifRevision: 1.5 }, '0.ifRevision wrong_type'],
      ['ifRevision of null', { op: 'delete', id: 1, ifRevision: null }, '0.ifRevision wrong_type'],
      ['an upsert without matchOn', { op: 'upsert', values: {} }, '0.matchOn required'],
    ])('refuses, in either mode, %s', async (_, operation, detail) => {
      for (const mode of ['atomic', 'partial']) {
        const answer = await send({ mode, operations: [operation] });
        expectFailure(answer, 'invalid_request', [`operations.${detail}`]);
      }
    });

    it('refuses 1,001 operations', async () => {
      const operations = Array.from({ length: 1_001 }, () => ({ op: 'delete', id: 1 }));
      expectFailure(await atomic(...operations), 'invalid_request', ['operations out_of_range']);
    });

    it('names all values that do not fit, and changes nothing', async () => {
      const answer = await atomic(
        { op: 'delete', id: 1 },
        { op: 'create', values: { name: 'D', stock: 'x' } },
        { op: 'update', id: 2, values: { name: null } },
        { op: 'upsert', matchOn: ['sku', 'nothing'], values: { name: 'E' } },
      );
      expectFailure(answer, 'invalid_request', [
        'operations.1.values.stock wrong_type',
        'operations.2.values.name required',
        'operations.3.values.sku required',
        'operations.3.matchOn.1 unknown_column',
      ]);
      expect(await stored()).toHaveLength(3);
    });
  });

  it('403: refuses a viewer', async () => {
    const body = { mode: 'partial', operations: [{ op: 'delete', id: 1 }] };
    expectFailure(await team.viewer.api.post(`${datagrid}/rows/batch`, body), 'forbidden');
  });

  describe('all or none', () => {
    afterEach(async () => {
      expect((await stored()).map((row) => [row.id, row.revision])).toEqual([
        [1, 1],
        [2, 1],
        [3, 1],
      ]);
      expect(await revision()).toBe(1);
    });

    it('404: where a row is not there', async () => {
      const answer = await atomic({ op: 'delete', id: 1 }, { op: 'update', id: 1, values: {} });
      expectFailure(answer, 'not_found', ['operations.1.id not_found']);
    });

    it('404: knows no other datagrid', async () => {
      const body = { mode: 'atomic', operations: [{ op: 'delete', id: 1 }] };
      expectFailure(
        await team.editor.api.post(`/datagrids/${NO_ID}/rows/batch`, body),
        'not_found',
      );
    });

    it('409: where a unique value is taken, by a stored row or one of the call', async () => {
      const create = { op: 'create', values: { sku: 'd', name: 'D' } };
      expectFailure(await atomic(create, create), 'conflict', [
        'operations.1.values.sku duplicate',
      ]);
      const update = { op: 'update', id: 2, values: { sku: 'c' } };
      expectFailure(await atomic(create, update), 'conflict', [
        'operations.1.values.sku duplicate',
      ]);
    });

    it('412: where a row has another revision', async () => {
      const stale = {
        op: 'upsert',
        matchOn: ['sku'],
        values: { sku: 'a', stock: 1 },
        ifRevision: 3,
      };
      const answer = await atomic({ op: 'delete', id: 2 }, stale);
      expectFailure(answer, 'precondition_failed', ['operations.1.ifRevision other_revision']);
    });

    it('413: where a row grows too large', async () => {
      const values = { name: 'x'.repeat(1_950) };
      const answer = await atomic(
        { op: 'update', id: 1, values },
        { op: 'update', id: 1, values: { sku: 'y'.repeat(50) } },
      );
      expectFailure(answer, 'payload_too_large', ['operations.1.values too_large']);
    });
  });
});
