import { expectFailure } from '../../support/failure';
import { NO_ID } from '../../support/fixture';
import { BatchSheet } from './batch-sheet';

const sheet = BatchSheet.forEachTest();
const { atomic, stored, revision } = sheet;

describe('POST /datagrids/{datagridId}/rows/batch', () => {
  describe('an atomic batch that fails', () => {
    afterEach(async () => {
      expect((await stored()).map((row) => [row.id, row.revision])).toEqual([
        [1, 1],
        [2, 1],
        [3, 1],
      ]);
      expect(await revision()).toBe(1);
    });

    it('returns 404 if a row does not exist', async () => {
      const response = await atomic({ op: 'delete', id: 1 }, { op: 'update', id: 1, values: {} });
      expectFailure(response, 'not_found', ['operations.1.id not_found']);
    });

    it('returns 404 if the datagrid does not exist', async () => {
      const body = { mode: 'atomic', operations: [{ op: 'delete', id: 1 }] };
      expectFailure(
        await sheet.team.editor.api.post(`/datagrids/${NO_ID}/rows/batch`, body),
        'not_found',
      );
    });

    it('returns 409 if a stored row or an earlier operation has the unique value', async () => {
      const create = { op: 'create', values: { sku: 'd', name: 'D' } };
      const repeated = await atomic(create, create);
      expectFailure(repeated, 'conflict', ['operations.1.values.sku duplicate']);
      expect(repeated.body.error.details[0].message).toBe(
        'must be unique, but an earlier row in this request already has this value',
      );
      const stored = await atomic(create, { op: 'update', id: 2, values: { sku: 'c' } });
      expectFailure(stored, 'conflict', ['operations.1.values.sku duplicate']);
      expect(stored.body.error.details[0].message).toBe(
        'must be unique, but row 3 already has this value',
      );
    });

    it('returns 412 if a row has another revision', async () => {
      const stale = {
        op: 'upsert',
        matchOn: ['sku'],
        values: { sku: 'a', stock: 1 },
        ifRevision: 3,
      };
      const response = await atomic({ op: 'delete', id: 2 }, stale);
      expectFailure(response, 'precondition_failed', ['operations.1.ifRevision revision_mismatch']);
    });

    it('returns 413 if a row becomes too large', async () => {
      const values = { name: 'x'.repeat(1_950) };
      const response = await atomic(
        { op: 'update', id: 1, values },
        { op: 'update', id: 1, values: { sku: 'y'.repeat(50) } },
      );
      expectFailure(response, 'payload_too_large', ['operations.1.values too_large']);
    });
  });
});
