import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importCsv } from '../import/sending';
import { createRows, newLinkedSheets, valuesOf } from './linked-sheets';

let app: TestApp;
let team: Team;
let customers: string;
let orders: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  ({ customers, orders } = await newLinkedSheets(team.admin.api));
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

describe('a link', () => {
  it('is created, changed, replaced and cleared with its row', async () => {
    const { api } = team.editor;
    const created = await api.post(`${orders}/rows`, { values: { customer: 1, others: [3, 2] } });
    expect(dataOf(created, 201).values).toEqual({ customer: 1, others: [3, 2] });
    dataOf(await api.patch(`${orders}/rows/1`, { values: { customer: 2 } }), 200);
    expect(await valuesOf(api, orders)).toEqual({ 1: { customer: 2, others: [3, 2] } });
    dataOf(await api.put(`${orders}/rows/1`, { values: { others: [] } }), 200);
    expect(await valuesOf(api, orders)).toEqual({ 1: { others: [] } });
    dataOf(await api.patch(`${orders}/rows/1`, { values: { others: null } }), 200);
    expect(await valuesOf(api, orders)).toEqual({ 1: {} });
  });

  it('is rejected with all rows of a request that has more than 100,000', async () => {
    const { api } = team.editor;
    const links = Array.from({ length: 101 }, (_, index) => index + 1);
    const rows = Array.from({ length: 1_000 }, () => ({ values: { others: links } }));
    const operations = rows.map((row) => ({ op: 'create', ...row }));
    expectFailure(await api.post(`${orders}/rows`, { rows }), 'invalid_request', ['rows too_many']);
    const batch = await api.post(`${orders}/rows/batch`, { mode: 'partial', operations });
    expectFailure(batch, 'invalid_request', ['operations too_many']);
    expect(await valuesOf(api, orders)).toEqual({});
  });

  it.each<[string, unknown, string]>([
    ['customer', '1', 'wrong_type'],
    ['customer', 0, 'wrong_type'],
    ['customer', [1], 'wrong_type'],
    ['customer', 4, 'unknown_row'],
    ['others', 1, 'wrong_type'],
    ['others', ['1'], 'wrong_type'],
    ['others', [1, 1], 'duplicate_link'],
    ['others', [1, 4], 'unknown_row'],
    ['others', Array.from({ length: 201 }, (_, index) => index + 1), 'out_of_range'],
  ])('in %s returns 400 for %j with %s', async (key, value, code) => {
    const { api } = team.editor;
    await createRows(api, orders, [{ note: 'x' }]);
    const body = { values: { [key]: value } };
    for (const response of [
      await api.post(`${orders}/rows`, body),
      await api.patch(`${orders}/rows/1`, body),
      await api.put(`${orders}/rows/1`, body),
    ]) {
      expectFailure(response, 'invalid_request', [`values.${key} ${code}`]);
    }
    expectFailure(
      await api.post(`${orders}/rows`, { rows: [{ values: {} }, body] }),
      'invalid_request',
      [`rows.1.values.${key} ${code}`],
    );
    expect(await valuesOf(api, orders)).toEqual({ 1: { note: 'x' } });
  });

  it('names the field and the id of each row that does not exist', async () => {
    const rows = [{ values: { customer: 7 } }, { values: { others: [1, 9, 8] } }];
    const response = await team.editor.api.post(`${orders}/rows`, { rows });
    expectFailure(response, 'invalid_request', [
      'rows.0.values.customer unknown_row',
      'rows.1.values.others unknown_row',
      'rows.1.values.others unknown_row',
    ]);
    expect(response.text).toContain('row 7 does not exist in the linked datagrid');
    expect(response.text).toContain('row 9 does not exist in the linked datagrid');
  });

  it('to a row that does not exist fails its operation of a partial batch only', async () => {
    const { api } = team.editor;
    const operations = [
      { op: 'create', values: { customer: 1 } },
      { op: 'create', values: { customer: 9 } },
      { op: 'create', values: { others: [2, 9] } },
    ];
    const partial = await api.post(`${orders}/rows/batch`, { mode: 'partial', operations });
    const { results } = dataOf(partial, 200) as unknown as { results: { status: string }[] };
    expect(results.map(({ status }) => status)).toEqual(['created', 'error', 'error']);
    const atomic = await api.post(`${orders}/rows/batch`, { mode: 'atomic', operations });
    expectFailure(atomic, 'invalid_request', [
      'operations.1.values.customer unknown_row',
      'operations.2.values.others unknown_row',
    ]);
    expect(await valuesOf(api, orders)).toEqual({ 1: { customer: 1 } });
  });

  it('is written by upserts and by updates of a batch', async () => {
    const { admin, editor } = team;
    dataOf(
      await admin.api.post(`${orders}/columns`, { key: 'no', type: 'text', unique: true }),
      201,
    );
    const rows = [{ values: { no: 'x', customer: 1 } }, { values: { no: 'y', others: [2] } }];
    dataOf(await editor.api.put(`${orders}/rows`, { matchOn: ['no'], rows }), 200);
    const operations = [{ op: 'update', id: 1, values: { customer: 3 } }];
    dataOf(await editor.api.post(`${orders}/rows/batch`, { mode: 'atomic', operations }), 200);
    expect(await valuesOf(editor.api, orders)).toEqual({
      1: { no: 'x', customer: 3 },
      2: { no: 'y', others: [2] },
    });
    const wrong = { matchOn: ['no'], rows: [{ values: { no: 'y', customer: 5 } }] };
    expectFailure(await editor.api.put(`${orders}/rows`, wrong), 'invalid_request', [
      'rows.0.values.customer unknown_row',
    ]);
    expectFailure(await editor.api.delete(`${customers}/rows/3`), 'conflict', [
      'rows.3 conflicting_rows',
    ]);
    expect((await editor.api.delete(`${customers}/rows/1`)).status).toBe(204);
  });

  it('is imported from numbers and JSON arrays, and a line with a wrong one is rejected', async () => {
    const { api } = team.editor;
    const csv = 'customer,others,note\n1,"[2,3]",a\n9,,b\n,"[1,7]",c\n3,[],d\n';
    const report = dataOf(await importCsv(api, orders, csv, '?onError=skip'), 201);
    expect(report).toMatchObject({ created: 2, rejected: 2 });
    expect(report.errors).toMatchObject([
      { line: 3, details: [{ field: 'customer', code: 'unknown_row' }] },
      { line: 4, details: [{ field: 'others', code: 'unknown_row' }] },
    ]);
    expect(await valuesOf(api, orders)).toEqual({
      1: { customer: 1, others: [2, 3], note: 'a' },
      2: { customer: 3, others: [], note: 'd' },
    });
    expectFailure(await api.delete(`${customers}/rows/2`), 'conflict', ['rows.2 conflicting_rows']);
    const exported = await api.get(`${orders}/rows/export?format=csv`);
    expect(exported.text).toContain('1,"[2, 3]",a');
  });

  it('is found by filters for one id and for several', async () => {
    const { api } = team.viewer;
    await createRows(team.editor.api, orders, [
      { customer: 1, others: [1, 2] },
      { customer: 2, others: [3] },
      { note: 'none' },
    ]);
    const found = async (filter: object): Promise<number[]> => {
      const rows = dataOf(await api.post(`${orders}/rows/query`, { filter }), 200);
      return (rows as unknown as { id: number }[]).map(({ id }) => id);
    };
    expect(await found({ customer: { $eq: 2 } })).toEqual([2]);
    expect(await found({ customer: { $in: [1, 2] } })).toEqual([1, 2]);
    expect(await found({ customer: { $isNull: true } })).toEqual([3]);
    expect(await found({ others: { $contains: 2 } })).toEqual([1]);
    expect(await found({ others: { $containsAny: [2, 3] } })).toEqual([1, 2]);
    const wrong = await api.post(`${orders}/rows/query`, {
      filter: { others: { $contains: 'x' } },
    });
    expectFailure(wrong, 'invalid_request', ['filter.others.$contains wrong_type']);
  });
});
