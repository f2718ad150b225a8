import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importCsv, importNdjson, numbered, rejections, reportOf, valuesOf } from './sending';

const BATCH_ROWS = 10;

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared({ IMPORT_BATCH_ROWS: String(BATCH_ROWS) });
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const N = [{ key: 'n', type: 'integer' }];
const newGrid = (columns: readonly object[] = N): Promise<string> =>
  newDatagrid(team.owner.api, columns);
const range = (from: number, to: number): { n: number }[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ n: from + index }));

describe('an import with startLine', () => {
  it('continues a failed import of NDJSON, so that each row is written once', async () => {
    const { api } = team.editor;
    const grid = await newGrid();
    const lines = numbered(1, 35).split('\n');
    lines[27] = '{"n":"bad"}';
    const failed = await importNdjson(api, grid, lines.join('\n'));
    const { nextLine } = await reportOf(api, failed);
    expect([1, 11, 21]).toContain(nextLine);
    const query = `?startLine=${String(nextLine)}`;
    const data = dataOf(await importNdjson(api, grid, numbered(1, 35), query), 201);
    const rest = 36 - Number(nextLine);
    expect(data).toMatchObject({ state: 'completed', rowsRead: rest, created: rest });
    expect(await valuesOf(api, grid)).toEqual(range(1, 35));
  });

  it('reads the header of CSV, and skips rows of several lines that start before the line', async () => {
    const { api } = team.editor;
    const grid = await newGrid([{ key: 'a', type: 'text' }]);
    const text = 'sep=;\na;b\n"one\ntwo";\n\nthree;\nfour;\n';
    for (const [startLine, values] of [
      [3, ['one\ntwo', 'three', 'four']],
      [4, ['three', 'four']],
      [7, ['four']],
      [8, []],
    ] as const) {
      const before = (await valuesOf(api, grid)).length;
      const query = `?startLine=${String(startLine)}`;
      const data = dataOf(await importCsv(api, grid, text.replace(';b', ';'), query), 201);
      expect(data).toMatchObject({ rowsRead: values.length, nextLine: null });
      const added = (await valuesOf(api, grid)).slice(before);
      expect(added.map(({ a }) => a)).toEqual(values);
    }
  });

  it('numbers rejected lines and nextLine by the file, and does not check skipped lines', async () => {
    const { api } = team.editor;
    const grid = await newGrid();
    const text = 'n\nbad\n2\n3\nworse\n';
    const failed = await importCsv(api, grid, text, '?startLine=3');
    expectFailure(failed, 'invalid_request', ['lines.5.n invalid_format']);
    expect(await reportOf(api, failed)).toMatchObject({ rowsRead: 3, rejected: 1, nextLine: 3 });
    const skipped = dataOf(await importCsv(api, grid, text, '?startLine=3&onError=skip'), 201);
    expect(rejections(skipped)).toEqual(['5 n invalid_format']);
    expect(await valuesOf(api, grid)).toEqual([{ n: 2 }, { n: 3 }]);
  });

  it('finds types of created columns in the rows that are read, however many are skipped', async () => {
    const { api } = team.owner;
    const grid = await newGrid();
    // Longer than the part of a file that the types are found in.
    const skipped = `1,${'x'.repeat(1_000)}\n`.repeat(5_000);
    const text = `n,Since\n${skipped}2,2024-02-29\n`;
    const query = '?createColumns=true&startLine=5002';
    const data = dataOf(await importCsv(api, grid, text, query), 201);
    expect(data).toMatchObject({ created: 1, createdColumns: ['since'] });
    expect((await api.get(`${grid}/columns/since`)).body.data.type).toBe('date');
  });

  it.each([
    ['0', 'out_of_range'],
    ['-1', 'out_of_range'],
    ['1.5', 'invalid_format'],
    ['', 'invalid_format'],
    ['9007199254740992', 'out_of_range'],
    ['2&startLine=3', 'duplicate_parameter'],
  ])('returns 400 if it is "%s": %s', async (value, code) => {
    const grid = await newGrid();
    const response = await importCsv(team.editor.api, grid, 'n\n1\n', `?startLine=${value}`);
    expectFailure(response, 'invalid_request', [`startLine ${code}`]);
  });
});
