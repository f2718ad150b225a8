import type { ApiResponse, Json } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'code', type: 'decimal', unique: true },
  { key: 'name', type: 'text', required: true },
  { key: 'stock', type: 'integer' },
];

let app: TestApp;
let team: Team;
let rows: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  rows = `${await newDatagrid(team.owner.api, COLUMNS)}/rows`;
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const put = (matchOn: unknown, ...values: object[]): Promise<ApiResponse> =>
  team.editor.api.put(rows, { matchOn, rows: values.map((each) => ({ values: each })) });

const stored = async (): Promise<Json[]> => (await team.viewer.api.get(rows)).body.data;

const statuses = (response: ApiResponse): string[] =>
  (dataOf(response, 200).results as { status: string }[]).map(({ status }) => status);

describe('PUT /datagrids/{datagridId}/rows', () => {
  it('creates missing rows and merges into existing ones, in order', async () => {
    await put(['sku'], { sku: 'b', name: 'B', stock: 1 });
    const response = await put(
      ['sku'],
      { sku: 'a', name: 'A' },
      { sku: 'b', stock: 2 },
      { sku: 'c', name: 'C', stock: 3 },
    );
    const { results } = dataOf(response, 200);
    const all = await stored();
    expect(results).toEqual([
      { status: 'created', id: 2, row: all[1] },
      { status: 'updated', id: 1, row: all[0] },
      { status: 'created', id: 3, row: all[2] },
    ]);
    expect(all).toMatchObject([
      { id: 1, revision: 2, values: { sku: 'b', name: 'B', stock: 2 } },
      { id: 2, revision: 2, values: { sku: 'a', name: 'A' } },
      { id: 3, revision: 2, values: { sku: 'c', name: 'C', stock: 3 } },
    ]);
  });

  it('clears a value that is null', async () => {
    await put(['sku'], { sku: 'a', name: 'A', stock: 1, code: '7' });
    expect(statuses(await put(['sku'], { sku: 'a', stock: null, code: null }))).toEqual([
      'updated',
    ]);
    expect((await stored())[0].values).toEqual({ sku: 'a', name: 'A' });
    expect(statuses(await put(['code'], { code: '7', name: 'Other' }))).toEqual(['created']);
  });

  it('does not change a row, or its revision, that already has the values', async () => {
    await put(['sku'], { sku: 'a', name: 'A', stock: 1 });
    const [before] = await stored();
    const response = await put(['sku'], { sku: 'a', stock: 1 }, { sku: 'a2', name: 'A2' });
    expect(dataOf(response, 200).results[0]).toEqual({ status: 'unchanged', id: 1, row: before });
    expect(await stored()).toMatchObject([before, { id: 2, revision: 2 }]);
    expect(statuses(await put(['sku'], { sku: 'a', name: 'A' }))).toEqual(['unchanged']);
    const { revision } = dataOf(await team.viewer.api.get(rows.replace(/\/rows$/, '')), 200);
    expect(revision).toBe(2);
  });

  it('matches a decimal in any notation', async () => {
    await put(['code'], { code: '1.50', name: 'A' });
    expect(statuses(await put(['code'], { code: '1.5', stock: 4 }))).toEqual(['updated']);
    expect((await stored())[0].values).toEqual({ code: '1.5', name: 'A', stock: 4 });
  });

  it('matches a row by several columns', async () => {
    await put(['sku'], { sku: 'a', code: '1', name: 'A' });
    const response = await put(
      ['code', 'sku'],
      { sku: 'a', code: '1.0', stock: 1 },
      { sku: 'b', code: '2', name: 'B' },
    );
    expect(statuses(response)).toEqual(['updated', 'created']);
  });

  it('accepts /records as an alias of /rows', async () => {
    const body = { matchOn: ['sku'], rows: [{ values: { sku: 'x', name: 'X' } }] };
    const response = await team.editor.api.put(rows.replace(/rows$/, 'records'), body);
    expect(statuses(response)).toEqual(['created']);
  });

  it('accepts 1,000 rows', async () => {
    const many = Array.from({ length: 1_000 }, (_, n) => ({ sku: String(n), name: 'N' }));
    expect(new Set(statuses(await put(['sku'], ...many)))).toEqual(new Set(['created']));
    const again = many.map((each, n) => ({ ...each, stock: n }));
    expect(new Set(statuses(await put(['sku'], ...again)))).toEqual(new Set(['updated']));
    const { data, meta } = (await team.viewer.api.get(`${rows}?page=5&limit=200`)).body;
    expect(meta.total).toBe(1_000);
    expect(data[199]).toMatchObject({ id: 1_000, values: { sku: '999', stock: 999 } });
  });

  it.each<[string, unknown, string]>([
    ['an array', [], 'body wrong_type'],
    ['no matchOn', { rows: [] }, 'matchOn required'],
    ['a matchOn that is not an array', { matchOn: 'sku', rows: [] }, 'matchOn wrong_type'],
    ['an empty matchOn', { matchOn: [], rows: [] }, 'matchOn out_of_range'],
    ['a matchOn of five columns', { matchOn: [1, 2, 3, 4, 5], rows: [] }, 'matchOn out_of_range'],
    ['a number in matchOn', { matchOn: [1], rows: [] }, 'matchOn.0 wrong_type'],
    ['a duplicate column', { matchOn: ['sku', 'sku'], rows: [] }, 'matchOn.1 duplicate_column'],
    ['no rows', { matchOn: ['sku'] }, 'rows wrong_type'],
    ['empty rows', { matchOn: ['sku'], rows: [] }, 'rows out_of_range'],
    ['a row without values', { matchOn: ['sku'], rows: [{}] }, 'rows.0.values required'],
    ['an unknown property', { matchOn: ['sku'], rows: [{}], mode: 1 }, 'mode unknown_property'],
  ])('returns 400 for %s', async (_, body, detail) => {
    expectFailure(await team.editor.api.put(rows, body), 'invalid_request', [detail]);
  });

  it('returns 400 and lists each column of matchOn that is unknown or not unique once', async () => {
    const response = await put(
      ['stock', 'nothing'],
      { sku: 'a', stock: 1 },
      { sku: 'b', stock: 2 },
    );
    expectFailure(response, 'invalid_request', [
      'matchOn.0 not_unique',
      'matchOn.1 unknown_column',
    ]);
  });

  it('returns 400 for rows without a value in a matchOn column and for invalid values', async () => {
    const response = await put(
      ['sku', 'code'],
      { sku: 'a', code: 'x' },
      { sku: null, code: '1' },
      { sku: 'b', code: '2', name: null, stock: 1.5 },
    );
    expectFailure(response, 'invalid_request', [
      'rows.0.values.code invalid_format',
      'rows.1.values.sku required',
      'rows.2.values.name required',
      'rows.2.values.stock wrong_type',
    ]);
  });

  it('returns 400 if a new row has no value in a required column, and creates no row', async () => {
    const response = await put(['sku'], { sku: 'a', name: 'A' }, { sku: 'b' });
    expectFailure(response, 'invalid_request', ['rows.1.values.name required']);
    expect(await stored()).toEqual([]);
  });

  it('returns 400 for a duplicate key and names the second row', async () => {
    const twice = await put(
      ['code'],
      { code: '1', name: 'A' },
      { code: '2', name: 'B' },
      { code: '1.0', name: 'C' },
    );
    expectFailure(twice, 'invalid_request', ['rows.2.values.code duplicate_row']);
    expect(await stored()).toEqual([]);
  });

  it('returns 403 for a viewer', async () => {
    const body = { matchOn: ['sku'], rows: [{ values: { sku: 'a', name: 'A' } }] };
    expectFailure(await team.viewer.api.put(rows, body), 'forbidden');
  });

  it('returns 404 if the datagrid does not exist', async () => {
    const body = { matchOn: ['sku'], rows: [{ values: { sku: 'a' } }] };
    expectFailure(await team.editor.api.put(`/datagrids/${NO_ID}/rows`, body), 'not_found');
  });

  describe('an upsert of existing rows', () => {
    beforeEach(async () => {
      await put(['sku'], { sku: 'a', code: '1', name: 'A' }, { sku: 'b', code: '2', name: 'B' });
    });

    it('returns 409 if the columns match different rows', async () => {
      const response = await put(
        ['sku', 'code'],
        { sku: 'c', code: '3', name: 'C' },
        { sku: 'a', code: '2' },
      );
      expectFailure(response, 'conflict', [
        'rows.1.values.sku ambiguous_match',
        'rows.1.values.code ambiguous_match',
      ]);
      expect(await stored()).toHaveLength(2);
    });

    it('returns 409 if only some of the columns match', async () => {
      const response = await put(['sku', 'code'], { sku: 'a', code: '9', name: 'A' });
      expectFailure(response, 'conflict', ['rows.0.values.sku ambiguous_match']);
    });

    it('returns 409 if a stored row or an earlier row of the request has another unique value', async () => {
      const byStored = await put(['sku'], { sku: 'a', code: '2' });
      expectFailure(byStored, 'conflict', ['rows.0.values.code duplicate']);
      const byOther = await put(
        ['sku'],
        { sku: 'c', code: '9', name: 'C' },
        { sku: 'b', code: '9' },
      );
      expectFailure(byOther, 'conflict', ['rows.1.values.code duplicate']);
      expect((await stored()).map(({ values }) => values.code)).toEqual(['1', '2']);
    });

    it('returns 200 if an earlier row of the request frees the value', async () => {
      const response = await put(['sku'], { sku: 'a', code: '3' }, { sku: 'b', code: '1' });
      expect(statuses(response)).toEqual(['updated', 'updated']);
      expect((await stored()).map(({ values }) => values.code)).toEqual(['3', '1']);
    });
  });
});
