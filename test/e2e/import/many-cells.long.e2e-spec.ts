import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importCsv, importNdjson, rejections, valuesOf } from './sending';

const MAX_COLUMNS = 10;
const MAX_CELLS = 4 * MAX_COLUMNS;

let app: TestApp;
let owner: Member;
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared({ MAX_COLUMNS: String(MAX_COLUMNS) });
  owner = await app.newAccount();
});

beforeEach(async () => {
  grid = await newDatagrid(owner.api, [
    { key: 'name', type: 'text' },
    { key: 'j', type: 'json' },
  ]);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

describe('a CSV header', () => {
  it('may have up to four times MAX_COLUMNS cells', async () => {
    const text = `name${','.repeat(MAX_CELLS - 1)}\na${','.repeat(MAX_CELLS - 1)}\n`;
    dataOf(await importCsv(owner.api, grid, text), 201);
    expect(await valuesOf(owner.api, grid)).toEqual([{ name: 'a' }]);
  });

  it.each([
    ['blank', 'name'.concat(','.repeat(MAX_CELLS))],
    [
      'with one name',
      Array(MAX_CELLS + 1)
        .fill('x')
        .join(','),
    ],
    [
      'quoted',
      Array(MAX_CELLS + 1)
        .fill('"x"')
        .join(','),
    ],
    ['a million blank ones', 'name'.concat(','.repeat(1_000_000))],
  ])('returns 400 and names its line if it has more cells: %s', async (_, header) => {
    for (const query of ['', '?createColumns=true', '?onError=skip']) {
      const response = await importCsv(owner.api, grid, `\n${header}\na\n`, query);
      expectFailure(response, 'invalid_request', ['header too_many']);
      expect(response.body.error.message).toBe(
        'header: line 2 has more than 40 cells, the maximum for one line',
      );
    }
  });

  it('returns 400 for too many new columns before their types are read', async () => {
    const names = Array.from({ length: MAX_COLUMNS }, (_, index) => `n${String(index)}`);
    const response = await importCsv(
      owner.api,
      grid,
      `${names.join(',')}\n`,
      '?createColumns=true',
    );
    expectFailure(response, 'invalid_request', ['columns out_of_range']);
  });
});

it('rejects a CSV line with too many cells and imports the lines after it', async () => {
  const many = ','.repeat(1_000_000);
  const quoted = `"\n"${',""'.repeat(MAX_CELLS)},"\n"`;
  const text = `name,j\na,1\n${many}\nb,2\n${quoted}\nc,3\n`;
  const data = dataOf(await importCsv(owner.api, grid, text, '?onError=skip'), 201);
  expect(rejections(data)).toEqual(['3 line too_many', '5 line too_many']);
  expect(await valuesOf(owner.api, grid)).toEqual([
    { name: 'a', j: 1 },
    { name: 'b', j: 2 },
    { name: 'c', j: 3 },
  ]);
});

it('rejects an NDJSON line with too many unknown properties and imports the lines after it', async () => {
  const properties = Array.from({ length: 90_000 }, (_, index) => `"u${String(index)}":1`);
  const text = `{"name":"a"}\n{${properties.join(',')}}\n{"name":"b"}\n`;
  const data = dataOf(await importNdjson(owner.api, grid, text, '?onError=skip'), 201);
  expect(rejections(data)).toEqual(['2 line too_many']);
  expect(data).toMatchObject({ created: 2, rejected: 1 });
});

it('returns 400 for more than 100,000 JSON values in one line of either format', async () => {
  const json = `[${'{},'.repeat(100_000)}{}]`;
  const lines = await importNdjson(owner.api, grid, `{"name":"a","j":${json}}\n`);
  expectFailure(lines, 'invalid_request', ['lines.1 too_many']);
  const cells = await importCsv(owner.api, grid, `name,j\nb,"${json}"\n`);
  expectFailure(cells, 'invalid_request', ['lines.2.j too_many']);
});

it('preserves a JSON value with many elements in both formats', async () => {
  const j = Array.from({ length: 40_000 }, (_, index) => [index]);
  const json = JSON.stringify(j);
  dataOf(await importNdjson(owner.api, grid, `{"name":"a","j":${json}}\n`), 201);
  dataOf(await importCsv(owner.api, grid, `name,j\nb,"${json}"\n`), 201);
  expect(await valuesOf(owner.api, grid)).toEqual([
    { name: 'a', j },
    { name: 'b', j },
  ]);
});
