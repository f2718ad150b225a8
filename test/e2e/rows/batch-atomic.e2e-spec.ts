import { expectFailure } from '../../support/failure';
import { NO_ID } from '../../support/fixture';
import { BatchSheet } from './batch-sheet';

const sheet = BatchSheet.forEachTest();
const { atomic, stored, revision } = sheet;

describe('POST /datagrids/{datagridId}/rows/batch', () => {
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
        await sheet.team.editor.api.post(`/datagrids/${NO_ID}/rows/batch`, body),
        'not_found',
      );
    });

    it('409: where a unique value is taken, by a stored row or one of the call', async () => {
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

    it('412: where a row has another revision', async () => {
      const stale = {
        op: 'upsert',
        matchOn: ['sku'],
        values: { sku: 'a', stock: 1 },
        ifRevision: 3,
      };
      const answer = await atomic({ op: 'delete', id: 2 }, stale);
      expectFailure(answer, 'precondition_failed', ['operations.1.ifRevision revision_mismatch']);
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
