import { expectFailure } from '../../support/failure';
import { BatchSheet } from './batch-sheet';

const sheet = BatchSheet.forEachTest();
const { send, atomic, stored } = sheet;

describe('POST /datagrids/{datagridId}/rows/batch', () => {
  it.each<[string, unknown, string]>([
    ['a number', 1, 'body wrong_type'],
    ['no mode', { operations: [] }, 'mode required'],
    ['another mode', { mode: 'all', operations: [] }, 'mode invalid_format'],
    ['no operations', { mode: 'atomic' }, 'operations wrong_type'],
    ['an empty list of operations', { mode: 'atomic', operations: [] }, 'operations out_of_range'],
    [
      'a dryRun that is text',
      { mode: 'atomic', operations: [1], dryRun: 'yes' },
      'dryRun wrong_type',
    ],
    ['an unknown property', { mode: 'atomic', operations: [], a: 1 }, 'a unknown_property'],
  ])('returns 400 for %s', async (_, body, detail) => {
    expectFailure(await send(body), 'invalid_request', [detail]);
  });

  it.each<[string, unknown, string]>([
    ['an operation that is text', 'create', '0 wrong_type'],
    ['an operation without op', { values: {} }, '0.op required'],
    ['an unknown op', { op: 'toString', values: {} }, '0.op invalid_format'],
    ['a create with id', { op: 'create', id: 1, values: {} }, '0.id unknown_property'],
    ['an upsert with id', { op: 'upsert', id: 1, values: {} }, '0.id unknown_property'],
    ['a create with ifRevision', { op: 'create', ifRevision: 1 }, '0.ifRevision unknown_property'],
    ['a delete with values', { op: 'delete', id: 1, values: {} }, '0.values unknown_property'],
    ['an update with matchOn', { op: 'update', matchOn: [] }, '0.matchOn unknown_property'],
    ['a create without values', { op: 'create' }, '0.values required'],
    ['an update without id', { op: 'update', values: {} }, '0.id required'],
    ['an id of 0', { op: 'delete', id: 0 }, '0.id wrong_type'],
    ['an id that is text', { op: 'delete', id: '1' }, '0.id wrong_type'],
    ['an ifRevision of 1.5', { op: 'delete', id: 1, ifRevision: 1.5 }, '0.ifRevision wrong_type'],
    ['an ifRevision of null', { op: 'delete', id: 1, ifRevision: null }, '0.ifRevision wrong_type'],
    ['an upsert without matchOn', { op: 'upsert', values: {} }, '0.matchOn required'],
  ])('returns 400 in both modes for %s', async (_, operation, detail) => {
    for (const mode of ['atomic', 'partial']) {
      const response = await send({ mode, operations: [operation] });
      expectFailure(response, 'invalid_request', [`operations.${detail}`]);
    }
  });

  it('returns 400 for 1,001 operations', async () => {
    const operations = Array.from({ length: 1_001 }, () => ({ op: 'delete', id: 1 }));
    expectFailure(await atomic(...operations), 'invalid_request', ['operations out_of_range']);
  });

  it('returns 400, lists all invalid values and changes nothing', async () => {
    const response = await atomic(
      { op: 'delete', id: 1 },
      { op: 'create', values: { name: 'D', stock: 'x' } },
      { op: 'update', id: 2, values: { name: null } },
      { op: 'upsert', matchOn: ['sku', 'nothing'], values: { name: 'E' } },
    );
    expectFailure(response, 'invalid_request', [
      'operations.1.values.stock wrong_type',
      'operations.2.values.name required',
      'operations.3.values.sku required',
      'operations.3.matchOn.1 unknown_column',
    ]);
    expect(await stored()).toHaveLength(3);
  });

  it('returns 403 for a viewer', async () => {
    const body = { mode: 'partial', operations: [{ op: 'delete', id: 1 }] };
    expectFailure(await sheet.team.viewer.api.post(`${sheet.path}/rows/batch`, body), 'forbidden');
  });
});
