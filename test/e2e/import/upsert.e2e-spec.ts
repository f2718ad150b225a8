import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importCsv, importNdjson, rejections, valuesOf } from './sending';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared({ IMPORT_BATCH_ROWS: '5' });
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'code', type: 'integer', unique: true },
  { key: 'name', type: 'text', required: true },
  { key: 'note', type: 'text' },
];
const UPSERT = '?mode=upsert&matchOn=sku';

describe('an import that upserts', () => {
  it('reports the revisions of the batches that changed rows, and none if no row changed', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    await api.post(`${grid}/rows`, { values: { sku: 'Z', name: 'z' } });
    const lines = Array.from({ length: 10 }, (_, n) => ({ sku: `S${String(n)}`, name: 'a' }));
    const ndjson = (rows: readonly object[]): string =>
      rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const first = dataOf(await importNdjson(api, grid, ndjson(lines), UPSERT), 201);
    expect(first).toMatchObject({ created: 10, firstRevision: 2, lastRevision: 3 });
    const same = dataOf(await importNdjson(api, grid, ndjson(lines), UPSERT), 201);
    expect(same).toMatchObject({ unchanged: 10, firstRevision: null, lastRevision: null });
    const changed = lines.map((line, n) => ({ ...line, name: n < 5 ? 'a' : 'b' }));
    const last = dataOf(await importNdjson(api, grid, ndjson(changed), UPSERT), 201);
    expect(last).toMatchObject({ unchanged: 5, updated: 5, firstRevision: 4, lastRevision: 4 });
  });

  it('creates, updates or leaves a row for each line, and clears a value for an empty cell', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    const rows = [
      { values: { sku: 'A', name: 'a', note: 'old' } },
      { values: { sku: 'B', name: 'b', note: 'same' } },
    ];
    await api.post(`${grid}/rows`, { rows });
    const text = 'sku,name,note\nA,a,\nC,c,new\nC,c2,new\nC,c2,new\n';
    const data = dataOf(await importCsv(api, grid, text, UPSERT), 201);
    expect(data).toMatchObject({ mode: 'upsert', matchOn: ['sku'], rowsRead: 4, committedRows: 4 });
    expect(data).toMatchObject({ created: 1, updated: 2, unchanged: 1 });
    dataOf(await importNdjson(api, grid, '{"sku":"B","name":"b2"}', UPSERT), 201);
    expect(await valuesOf(api, grid)).toEqual([
      { sku: 'A', name: 'a' },
      { sku: 'B', name: 'b2', note: 'same' },
      { sku: 'C', name: 'c2', note: 'new' },
    ]);
  });

  it('changes nothing when it is sent again', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    const lines = Array.from({ length: 23 }, (_, i) => `{"sku":"s${i}","name":"n","code":${i}}`);
    const first = dataOf(await importNdjson(api, grid, lines.join('\n'), UPSERT), 201);
    const { revision } = (await api.get(grid)).body.data;
    const second = dataOf(await importNdjson(api, grid, lines.join('\n'), UPSERT), 201);
    expect([first.created, second.unchanged, second.updated]).toEqual([23, 23, 0]);
    expect((await api.get(grid)).body.data).toMatchObject({ rowCount: 23, revision });
  });

  it('rejects invalid lines with the error codes of other upserts', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    await api.post(`${grid}/rows`, {
      rows: [
        { values: { sku: 'A', code: 1, name: 'a' } },
        { values: { sku: 'B', code: 2, name: 'b' } },
      ],
    });
    const lines = [
      '{"sku":"A","name":null}',
      '{"name":"x"}',
      '{"sku":"N","note":"no name"}',
      '{"sku":"A","code":2}',
      '{"sku":"A","code":9}',
      '{"sku":null,"name":"x"}',
      '{"sku":"M","code":1,"name":"m"}',
    ].join('\n');
    const data = dataOf(await importNdjson(api, grid, lines, `${UPSERT}&onError=skip`), 201);
    expect(rejections(data)).toEqual([
      '1 name required',
      '2 sku required',
      '3 name required',
      '4 code duplicate',
      '6 sku required',
    ]);
    expect(data).toMatchObject({ created: 1, updated: 1, rejected: 5 });
    const both = '?mode=upsert&matchOn=sku,code';
    const partial = await importNdjson(api, grid, '{"sku":"A","code":2}', both);
    expectFailure(partial, 'conflict', [
      'lines.1.sku ambiguous_match',
      'lines.1.code ambiguous_match',
    ]);
  });

  it.each([
    ['?mode=upsert', 'matchOn required'],
    ['?matchOn=sku', 'matchOn incompatible_parameters'],
    ['?mode=upsert&matchOn=name', 'matchOn not_unique'],
    ['?mode=upsert&matchOn=other', 'matchOn unknown_column'],
    ['?mode=upsert&matchOn=sku,sku', 'matchOn duplicate_column'],
    ['?mode=upsert&matchOn=a,b,c,d,e', 'matchOn out_of_range'],
    ['?mode=replace', 'mode invalid_format'],
    ['?mode=insert&mode=insert', 'mode duplicate_parameter'],
    ['?onError=ignore', 'onError invalid_format'],
    ['?createColumns=1', 'createColumns invalid_format'],
    ['?page=1', 'page unknown_parameter'],
  ])('returns 400 for %s', async (query, detail) => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    expectFailure(await importCsv(api, grid, 'sku\n', query), 'invalid_request', [detail]);
    expect((await api.get(`${grid}/imports`)).body.meta.total).toBe(0);
  });
});
