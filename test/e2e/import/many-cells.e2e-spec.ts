import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importCsv, importNdjson, refusals, valuesOf } from './sending';

const MAX_COLUMNS = 10;
const MAX_CELLS = 4 * MAX_COLUMNS;

let app: TestApp;
let owner: Member;
let grid: string;

beforeAll(async () => {
  app = await TestApp.start({ settings: { MAX_COLUMNS: String(MAX_COLUMNS) } });
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

describe('A header of CSV', () => {
  it('may have blank cells up to four times the most columns', async () => {
    const text = `name${','.repeat(MAX_CELLS - 1)}\na${','.repeat(MAX_CELLS - 1)}\n`;
    dataOf(await importCsv(owner.api, grid, text), 201);
    expect(await valuesOf(owner.api, grid)).toEqual([{ name: 'a' }]);
  });

  it.each([
    ['blank', 'name'.concat(','.repeat(MAX_CELLS))],
    [
      'of one name',
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
    ['blank, a million of them', 'name'.concat(','.repeat(1_000_000))],
  ])('returns 400 that names its line when it has more cells: %s', async (_, header) => {
    for (const query of ['', '?createColumns=true', '?onError=skip']) {
      const answer = await importCsv(owner.api, grid, `\n${header}\na\n`, query);
      expectFailure(answer, 'invalid_request', ['header too_many']);
      expect(answer.body.error.message).toBe(
        'header: line 2 has more than 40 cells, the maximum for one line',
      );
    }
  });

  it('returns 400 for more new columns than there may be before it reads their types', async () => {
    const names = Array.from({ length: MAX_COLUMNS }, (_, index) => `n${String(index)}`);
    const answer = await importCsv(owner.api, grid, `${names.join(',')}\n`, '?createColumns=true');
    expectFailure(answer, 'invalid_request', ['columns out_of_range']);
  });
});

it('A line of CSV with too many cells is rejected, and the lines after it are written', async () => {
  const many = ','.repeat(1_000_000);
  const quoted = `"\n"${',""'.repeat(MAX_CELLS)},"\n"`;
  const text = `name,j\na,1\n${many}\nb,2\n${quoted}\nc,3\n`;
  const data = dataOf(await importCsv(owner.api, grid, text, '?onError=skip'), 201);
  expect(refusals(data)).toEqual(['3 line too_many', '5 line too_many']);
  expect(await valuesOf(owner.api, grid)).toEqual([
    { name: 'a', j: 1 },
    { name: 'b', j: 2 },
    { name: 'c', j: 3 },
  ]);
});

it('A line of NDJSON with very many unknown members is rejected, and the lines after it are written', async () => {
  const members = Array.from({ length: 90_000 }, (_, index) => `"u${String(index)}":1`);
  const text = `{"name":"a"}\n{${members.join(',')}}\n{"name":"b"}\n`;
  const data = dataOf(await importNdjson(owner.api, grid, text, '?onError=skip'), 201);
  expect(refusals(data)).toEqual(['2 line too_many']);
  expect(data).toMatchObject({ created: 2, rejected: 1 });
});

it('A line of more than 100,000 JSON values is rejected in both formats', async () => {
  const json = `[${'{},'.repeat(100_000)}{}]`;
  const lines = await importNdjson(owner.api, grid, `{"name":"a","j":${json}}\n`);
  expectFailure(lines, 'invalid_request', ['lines.1 too_many']);
  const cells = await importCsv(owner.api, grid, `name,j\nb,"${json}"\n`);
  expectFailure(cells, 'invalid_request', ['lines.2.j too_many']);
});

it('A JSON value of many values is read in both formats as it was written', async () => {
  const j = Array.from({ length: 40_000 }, (_, index) => [index]);
  const json = JSON.stringify(j);
  dataOf(await importNdjson(owner.api, grid, `{"name":"a","j":${json}}\n`), 201);
  dataOf(await importCsv(owner.api, grid, `name,j\nb,"${json}"\n`), 201);
  expect(await valuesOf(owner.api, grid)).toEqual([
    { name: 'a', j },
    { name: 'b', j },
  ]);
});
