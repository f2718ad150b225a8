import { expectFailure } from '../../support/failure';
import { BatchSheet } from './batch-sheet';

const sheet = BatchSheet.forEachTest();
const { send, atomic, stored } = sheet;

describe('POST /datagrids/{datagridId}/rows/batch', () => {
  describe('400', () => {
    it.each<[string, unknown, string]>([
      ['no object', 1, 'body wrong_type'],
      ['no mode', { operations: [] }, 'mode required'],
      ['another mode', { mode: 'all', operations: [] }, 'mode invalid_format'],
      ['no operations', { mode: 'atomic' }, 'operations wrong_type'],
      ['none at all', { mode: 'atomic', operations: [] }, 'operations out_of_range'],
      ['dryRun of text', { mode: 'atomic', operations: [1], dryRun: 'yes' }, 'dryRun wrong_type'],
      ['unknown members', { mode: 'atomic', operations: [], a: 1 }, 'a unknown_property'],
    ])('refuses %s', async (_, body, detail) => {
      expectFailure(await send(body), 'invalid_request', [detail]);
    });

    it.each<[string, unknown, string]>([
      ['no object', 'create', '0 wrong_type'],
      ['no op', { values: {} }, '0.op required'],
      ['another op', { op: 'toString', values: {} }, '0.op invalid_format'],
      ['a create with id', { op: 'create', id: 1, values: {} }, '0.id unknown_property'],
      ['an upsert with id', { op: 'upsert', id: 1, values: {} }, '0.id unknown_property'],
      [
        'a create with ifRevision',
        { op: 'create', ifRevision: 1 },
        '0.ifRevision unknown_property',
      ],
      ['a delete with values', { op: 'delete', id: 1, values: {} }, '0.values unknown_property'],
      ['an update with matchOn', { op: 'update', matchOn: [] }, '0.matchOn unknown_property'],
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
    expectFailure(await sheet.team.viewer.api.post(`${sheet.path}/rows/batch`, body), 'forbidden');
  });
});
