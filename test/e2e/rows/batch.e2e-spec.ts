import type { Json } from '../../support/api-client';
import { dataOf } from '../../support/fixture';
import { BatchSheet, summary } from './batch-sheet';

const sheet = BatchSheet.forEachTest();
const { send, atomic, stored, revision } = sheet;

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
  describe.each(['atomic', 'partial'])('a batch in mode %s', (mode) => {
    it('applies every kind of operation and returns the results in order', async () => {
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

    it('returns the same results for a dry run, and changes nothing', async () => {
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

    it('does not change the revision if no row changes', async () => {
      const before = await stored();
      const response = await send({
        mode,
        operations: [
          { op: 'update', id: 1, values: { name: 'A', stock: null } },
          { op: 'replace', id: 2, values: { name: 'B', sku: 'b' } },
          { op: 'upsert', matchOn: ['sku'], values: { sku: 'c' } },
        ],
      });
      expect(summary(response)).toEqual(['unchanged', 'unchanged', 'unchanged']);
      expect(response.body.data.revision).toBe(1);
      expect([await stored(), await revision()]).toEqual([before, 1]);
    });

    it('applies operations in order, so that a later one can reuse a deleted row’s unique value', async () => {
      const response = await send({
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
      expect(new Set(summary(response))).toEqual(new Set(['updated', 'created', 'deleted']));
      expect((await stored()).map(({ id, values }) => [id, values])).toEqual([
        [1, { sku: 'b', name: 'A' }],
        [2, { sku: 'a', name: 'B' }],
        [5, { sku: 'c', name: 'C3', stock: 1 }],
      ]);
      expect(
        (await sheet.team.owner.api.post(`${sheet.path}/rows`, { values: { name: 'F' } })).body.data
          .id,
      ).toBe(6);
    });

    it('compares ifRevision with the current revision of the row', async () => {
      const response = await send({
        mode,
        operations: [
          { op: 'update', id: 1, values: { stock: 1 }, ifRevision: 1 },
          { op: 'update', id: 1, values: { stock: 2 }, ifRevision: 2 },
          { op: 'replace', id: 2, values: { name: 'B', sku: 'b' }, ifRevision: 1 },
          { op: 'upsert', matchOn: ['sku'], values: { sku: 'new', name: 'N' }, ifRevision: 9 },
          { op: 'delete', id: 3, ifRevision: 1 },
        ],
      });
      expect(summary(response)).toEqual(['updated', 'updated', 'unchanged', 'created', 'deleted']);
    });

    it('creates 1,000 rows', async () => {
      const operations = Array.from({ length: 1_000 }, (_, n) => {
        return { op: 'create', values: { sku: `n${String(n)}`, name: 'N' } };
      });
      const { results, revision: after } = dataOf(await send({ mode, operations }), 200);
      expect(after).toBe(2);
      expect((results as Json[]).map(({ id }) => id)).toEqual(operations.map((_, n) => n + 4));
      const last = await sheet.team.viewer.api.get(`${sheet.path}/rows/1003`);
      expect(last.body.data).toEqual(results[999].row);
    });
  });

  it('accepts /records as an alias of /rows', async () => {
    const body = { mode: 'atomic', operations: [{ op: 'delete', id: 1 }] };
    const response = await sheet.team.editor.api.post(`${sheet.path}/records/batch`, body);
    expect(dataOf(response, 200)).toEqual({ results: [{ status: 'deleted', id: 1 }], revision: 2 });
  });

  it('returns and merges values of existing columns only', async () => {
    await sheet.team.owner.api.patch(`${sheet.path}/rows/1`, { values: { stock: 7 } });
    await sheet.team.owner.api.delete(`${sheet.path}/columns/stock`);
    await sheet.team.owner.api.post(`${sheet.path}/columns`, { key: 'stock', type: 'text' });
    const response = await atomic(
      { op: 'update', id: 1, values: { name: 'A2' } },
      { op: 'update', id: 1, values: { stock: 'some' } },
    );
    const [first, second] = dataOf(response, 200).results;
    expect(first.row.values).toEqual({ sku: 'a', name: 'A2' });
    expect(second.row.values).toEqual({ sku: 'a', name: 'A2', stock: 'some' });
    expect((await stored())[0]).toEqual(second.row);
  });
});
