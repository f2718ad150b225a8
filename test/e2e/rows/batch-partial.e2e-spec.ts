import { dataOf } from '../../support/fixture';
import { BatchSheet, summary } from './batch-sheet';

const sheet = BatchSheet.forEachTest();
const { partial, stored } = sheet;

describe('POST /datagrids/{datagridId}/rows/batch', () => {
  describe('a partial batch', () => {
    it('reports an error for each failed operation and applies the others', async () => {
      const response = await partial(
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
      expect(summary(response)).toEqual([
        'invalid_request: operations.0.values.name wrong_type: operations.0.values.other unknown_column',
        'not_found: operations.1.id not_found',
        'conflict: operations.2.values.sku duplicate',
        'precondition_failed: operations.3.ifRevision revision_mismatch',
        'invalid_request: operations.4.matchOn.0 not_unique',
        'invalid_request: operations.5.values.name required',
        'payload_too_large: operations.6.values too_large',
        'deleted',
        'not_found: operations.8.id not_found',
        'created',
        'conflict: operations.10.values.sku duplicate',
      ]);
      expect((await stored()).map(({ id }) => id)).toEqual([1, 2, 4]);
      expect(dataOf(response, 200).results[1]).toEqual({
        status: 'error',
        error: {
          code: 'not_found',
          message: 'Row not found.',
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

    it('assigns no id to a row that is not created', async () => {
      await partial({ op: 'create', values: {} }, { op: 'create', values: { name: 'D' } });
      expect((await stored()).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    });
  });
});
