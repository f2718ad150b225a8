import { FileBody } from '../support/api-client';
import { eventually } from '../support/eventually';
import { expectFailure } from '../support/failure';
import { dataOf, newDatagrid } from '../support/fixture';
import { apiOf, newWorkspace } from './support/deployment';

const PATIENCE_MS = 60_000;
const api = apiOf('own');
let grid: string;

beforeEach(async () => {
  const columns = [
    { key: 'name', type: 'text', unique: true },
    { key: 'depth', type: 'number' },
  ];
  grid = await newDatagrid(api, columns, await newWorkspace());
});

const lakes = (...lines: string[]): FileBody =>
  new FileBody('text/csv', ['name,depth', ...lines, ''].join('\n'));

describe('a column', () => {
  it('is added, changed and removed, and its values do not return', async () => {
    const columns = `${grid}/columns`;
    const added = dataOf(await api.post(columns, { key: 'area', type: 'integer' }), 201);
    expect(added).toMatchObject({ key: 'area', title: 'area', type: 'integer', required: false });
    expectFailure(await api.post(columns, { key: 'area', type: 'text' }), 'conflict', [
      'key duplicate',
    ]);
    dataOf(await api.post(`${grid}/rows`, { values: { name: 'A', area: 5 } }), 201);
    const column = `${columns}/area`;
    expect(dataOf(await api.patch(column, { title: 'km²' }), 200).title).toBe('km²');
    expect((await api.delete(column)).status).toBe(204);
    dataOf(await api.post(columns, { key: 'area', type: 'integer' }), 201);
    expect(dataOf(await api.get(`${grid}/rows/1`), 200).values).toEqual({ name: 'A' });
  });

  it('returns 409 for a change with which rows conflict', async () => {
    dataOf(await api.post(`${grid}/rows`, { values: { name: 'A' } }), 201);
    const response = await api.patch(`${grid}/columns/depth`, { required: true });
    expectFailure(response, 'conflict', ['required conflicting_rows']);
  });

  it('is indexed in the background', async () => {
    const column = `${grid}/columns/depth`;
    dataOf(await api.patch(column, { indexed: true }), 200);
    await eventually(async () => {
      const { indexed, indexing } = dataOf(await api.get(column), 200);
      return indexed === true && indexing === undefined;
    }, PATIENCE_MS);
  });
});

describe('an import', () => {
  it('creates the rows of a file, and an export returns them', async () => {
    const response = await api.post(
      `${grid}/rows/import`,
      lakes('Zürichsee,136', '"Verbano, Lago",372.5'),
    );
    const report = dataOf(response, 201);
    expect(report).toMatchObject({ state: 'completed', created: 2, rejected: 0, errors: [] });
    expect(response.headers.get('location')).toContain(String(report.id));
    expect(dataOf(await api.get(`${grid}/imports/${String(report.id)}`), 200)).toEqual(report);
    const csv = await api.get(`${grid}/rows/export?format=csv&fields=name,depth`);
    expect(csv.text).toBe('name,depth\nZürichsee,136\n"Verbano, Lago",372.5\n');
    const ndjson = await api.get(`${grid}/rows/export?fields=name&sort=-name`);
    const lines = ndjson.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(lines).toEqual([{ name: 'Zürichsee' }, { name: 'Verbano, Lago' }]);
  });

  it('writes nothing if a line is invalid, or skips the line with onError=skip', async () => {
    const file = lakes('A,1', 'B,deep');
    const aborted = await api.post(`${grid}/rows/import`, file);
    expectFailure(aborted, 'invalid_request', ['lines.3.depth invalid_format']);
    expect((await api.get(`${grid}/rows`)).body.meta.total).toBe(0);
    const skipped = dataOf(await api.post(`${grid}/rows/import?onError=skip`, file), 201);
    expect(skipped).toMatchObject({ created: 1, rejected: 1, errors: [{ line: 3 }] });
  });

  it('upserts rows and creates columns from the header', async () => {
    dataOf(await api.post(`${grid}/rows/import`, lakes('A,1')), 201);
    const path = `${grid}/rows/import?mode=upsert&matchOn=name&createColumns=true`;
    const file = new FileBody('text/csv', 'name,depth,Area (km²)\nA,2,3.5\nB,1,\n');
    expect(dataOf(await api.post(path, file), 201)).toMatchObject({
      created: 1,
      updated: 1,
      createdColumns: ['areaKm2'],
    });
    const read = await api.get(`${grid}/rows/1`);
    expect(dataOf(read, 200).values).toEqual({ name: 'A', depth: 2, areaKm2: 3.5 });
  });
});
