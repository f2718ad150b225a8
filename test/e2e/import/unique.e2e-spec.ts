import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importCsv, importNdjson, rejections, valuesOf } from './sending';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared({ IMPORT_BATCH_ROWS: '4' });
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const COLUMNS = [
  { key: 'a', type: 'text', unique: true },
  { key: 'b', type: 'decimal', unique: true },
  { key: 'n', type: 'integer', indexed: true },
];

describe('an import into unique columns', () => {
  it('returns 409 for a value of an existing row or an earlier line', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    dataOf(await api.post(`${grid}/rows`, { values: { a: 'x', b: '1.5' } }), 201);
    const inFile = await importCsv(api, grid, 'a,n\ny,1\nz,2\ny,3\n');
    expectFailure(inFile, 'conflict', ['lines.4.a duplicate']);
    const stored = await importCsv(api, grid, 'a,b\ny,2\nz,1.50\n');
    expectFailure(stored, 'conflict', ['lines.3.b duplicate']);
    expect(await valuesOf(api, grid)).toEqual([{ a: 'x', b: '1.5' }]);
  });

  it('accepts the first line with a value and skips the later ones with onError=skip', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    dataOf(await api.post(`${grid}/rows`, { values: { a: 'x' } }), 201);
    const text = 'a,b,n\nx,1,1\ny,1,2\ny,2,3\nz,,4\n,1.0,5\n,,6\n,,7\nz,9,8\nw,9.00,9\n';
    const data = dataOf(await importCsv(api, grid, text, '?onError=skip'), 201);
    expect(data).toMatchObject({ rowsRead: 9, created: 5, rejected: 4 });
    expect(rejections(data)).toEqual([
      '2 a duplicate',
      '4 a duplicate',
      '6 b duplicate',
      '9 a duplicate',
    ]);
    const errors = data.errors as readonly { details: readonly { message: string }[] }[];
    expect(errors.map(({ details }) => details[0]?.message)).toEqual([
      'must be unique, but row 1 already has this value',
      'must be unique, but line 3 already has this value',
      'must be unique, but row 2 already has this value',
      'must be unique, but row 3 already has this value',
    ]);
    const values = await valuesOf(api, grid);
    expect(values.map(({ n }) => n)).toEqual([undefined, 2, 4, 6, 7, 9]);
    expect((await api.get(grid)).body.data.rowCount).toBe(6);
  });

  it('adds its rows to the indexes', async () => {
    const { api } = team.owner;
    const grid = await newDatagrid(api, COLUMNS);
    const lines = Array.from({ length: 50 }, (_, i) => `{"a":"k${i}","n":${i % 5}}`);
    dataOf(await importNdjson(api, grid, lines.join('\n')), 201);
    const filter = encodeURIComponent(JSON.stringify({ n: 3 }));
    const { body } = await api.get(`${grid}/rows?filter=${filter}&sort=-a`);
    expect(body.meta.total).toBe(10);
    expect(body.data[0].values).toEqual({ a: 'k8', n: 3 });
    const again = await api.post(`${grid}/rows`, { values: { a: 'k7' } });
    expectFailure(again, 'conflict', ['values.a duplicate']);
  });
});
