import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { importCsv, importNdjson } from '../import/sending';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

const SIZE = { key: 'size', type: 'select', options: { choices: ['s', 'm'] }, defaultValue: 'm' };
const NAME = { key: 'name', type: 'text', unique: true };

const valuesOf = async (path: string): Promise<unknown[]> => {
  const rows = dataOf(await team.owner.api.get(`${path}/rows?limit=200`), 200) as unknown as {
    values: unknown;
  }[];
  return rows.map(({ values }) => values);
};

describe('a default value', () => {
  it('is the value of created rows that do not name the column, and null means no value', async () => {
    const { api } = team.editor;
    const path = await newDatagrid(team.owner.api, [NAME, SIZE]);
    const created = dataOf(await api.post(`${path}/rows`, { values: { name: 'a' } }), 201);
    expect(created.values).toEqual({ name: 'a', size: 'm' });
    await api.post(`${path}/rows`, { rows: [{ values: {} }, { values: { size: null } }] });
    await api.post(`${path}/rows`, { values: { size: 's' } });
    expect(await valuesOf(path)).toEqual([
      { name: 'a', size: 'm' },
      { size: 'm' },
      {},
      { size: 's' },
    ]);
  });

  it('applies to creates and to upserts that create, and to no update or replacement', async () => {
    const { api } = team.editor;
    const path = await newDatagrid(team.owner.api, [NAME, SIZE]);
    const batch = {
      mode: 'atomic',
      operations: [
        { op: 'create', values: { name: 'a' } },
        { op: 'upsert', matchOn: ['name'], values: { name: 'b' } },
        { op: 'upsert', matchOn: ['name'], values: { name: 'c', size: null } },
        { op: 'create', values: { name: 'd', size: 's' } },
      ],
    };
    expect((await api.post(`${path}/rows/batch`, batch)).status).toBe(200);
    const changes = {
      mode: 'atomic',
      operations: [
        { op: 'upsert', matchOn: ['name'], values: { name: 'c' } },
        { op: 'replace', id: 1, values: { name: 'a' } },
      ],
    };
    expect((await api.post(`${path}/rows/batch`, changes)).status).toBe(200);
    expect((await api.put(`${path}/rows/4`, { values: { name: 'd' } })).status).toBe(200);
    expect(await valuesOf(path)).toEqual([
      { name: 'a' },
      { name: 'b', size: 'm' },
      { name: 'c' },
      { name: 'd' },
    ]);
  });

  it('satisfies a required column', async () => {
    const column = { ...SIZE, required: true };
    const path = await newDatagrid(team.owner.api, [NAME, column]);
    const { api } = team.editor;
    expect((await api.post(`${path}/rows`, { values: {} })).status).toBe(201);
    const cleared = await api.post(`${path}/rows`, { values: { size: null } });
    expectFailure(cleared, 'invalid_request', ['values.size required']);
    const batch = {
      mode: 'atomic',
      operations: [{ op: 'upsert', matchOn: ['name'], values: { name: 'x' } }],
    };
    expect((await api.post(`${path}/rows/batch`, batch)).status).toBe(200);
    expect(await valuesOf(path)).toEqual([{ size: 'm' }, { name: 'x', size: 'm' }]);
  });

  it('is the value of imported rows whose file lacks the column', async () => {
    const { api } = team.editor;
    const path = await newDatagrid(team.owner.api, [NAME, { ...SIZE, required: true }]);
    const csv = 'name\nfrom csv\n';
    expect((await importCsv(api, path, csv)).status).toBe(201);
    const lines = '{"name":"from ndjson"}\n{"size":"s"}\n';
    expect((await importNdjson(api, path, lines)).status).toBe(201);
    const upsert = 'name\nfrom csv\nnew\n';
    const upserted = await importCsv(api, path, upsert, '?mode=upsert&matchOn=name');
    expect(upserted.status).toBe(201);
    expect(await valuesOf(path)).toEqual([
      { name: 'from csv', size: 'm' },
      { name: 'from ndjson', size: 'm' },
      { size: 's' },
      { name: 'new', size: 'm' },
    ]);
  });

  it('does not replace the empty cells of a file', async () => {
    const path = await newDatagrid(team.owner.api, [NAME, SIZE]);
    const csv = 'name,size\na,\n';
    expect((await importCsv(team.editor.api, path, csv)).status).toBe(201);
    const lines = '{"name":"b","size":null}\n';
    expect((await importNdjson(team.editor.api, path, lines)).status).toBe(201);
    expect(await valuesOf(path)).toEqual([{ name: 'a' }, { name: 'b' }]);
  });

  it('is not added to rows that exist', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, [NAME]);
    await api.post(`${path}/rows`, { values: { name: 'a' } });
    const added = dataOf(await api.post(`${path}/columns`, SIZE), 201);
    expect(added.defaultValue).toBe('m');
    expect(await valuesOf(path)).toEqual([{ name: 'a' }]);
  });

  it.each([
    ['text', 'x', undefined],
    ['integer', 5, undefined],
    ['number', 1e308, undefined],
    ['decimal', '1.50', undefined],
    ['boolean', false, undefined],
    ['date', '2026-01-31', undefined],
    ['multiSelect', ['s'], { choices: ['s', 'm'] }],
    ['email', 'ada@example.com', undefined],
    ['url', 'https://example.com/a', undefined],
    ['json', { a: [1, null, 'x'] }, undefined],
    ['json', 'text', undefined],
  ])('is stored as sent for %s', async (type, defaultValue, options) => {
    const column = { key: 'a', type, defaultValue, ...(options && { options }) };
    const path = await newDatagrid(team.owner.api, [column]);
    const { api } = team.owner;
    expect(dataOf(await api.get(`${path}/columns/a`), 200).defaultValue).toEqual(defaultValue);
    const [shown] = dataOf(await api.get(path), 200).columns;
    expect(shown).toMatchObject({ key: 'a', defaultValue });
    await api.post(`${path}/rows`, { values: {} });
    expect(await valuesOf(path)).toEqual([{ a: defaultValue }]);
  });

  it('is normalized as values are', async () => {
    const column = { key: 'at', type: 'datetime', defaultValue: '2026-01-01T01:00:00+01:00' };
    const path = await newDatagrid(team.owner.api, [column]);
    const { defaultValue } = dataOf(await team.owner.api.get(`${path}/columns/at`), 200);
    expect(defaultValue).toBe('2026-01-01T00:00:00.000Z');
  });

  it('is absent from columns without one, and is removed by null', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, [SIZE]);
    const changed = dataOf(await api.patch(`${path}/columns/size`, { defaultValue: null }), 200);
    expect(Object.keys(changed)).not.toContain('defaultValue');
    await api.post(`${path}/rows`, { values: {} });
    expect(await valuesOf(path)).toEqual([{}]);
  });

  it.each([
    [{ key: 'a', type: 'integer', defaultValue: 'x' }, 'wrong_type'],
    [{ ...SIZE, defaultValue: 'l' }, 'not_a_choice'],
    [{ ...NAME, defaultValue: 'x' }, 'incompatible_parameters'],
    [{ key: 'a', type: 'text', defaultValue: 'x'.repeat(4_095) }, 'too_large'],
  ])('is rejected if it is not valid (%#)', async (column, code) => {
    const { api } = team.owner;
    const path = await newDatagrid(api, []);
    const rejected = await api.post(`${path}/columns`, column);
    expectFailure(rejected, 'invalid_request', [`defaultValue ${code}`]);
  });

  it('counts toward the limit of all default values together', async () => {
    const { api } = team.owner;
    const half = { type: 'text', defaultValue: 'x'.repeat(2_040) };
    const path = await newDatagrid(api, [
      { ...half, key: 'a' },
      { ...half, key: 'b' },
    ]);
    const third = await api.post(`${path}/columns`, { ...half, key: 'c' });
    expectFailure(third, 'invalid_request', ['defaultValue too_large']);
    const grown = await api.patch(`${path}/columns/a`, { defaultValue: 'x'.repeat(2_080) });
    expectFailure(grown, 'invalid_request', ['defaultValue too_large']);
    const smaller = await api.patch(`${path}/columns/a`, { defaultValue: 'y' });
    expect(smaller.status).toBe(200);
    expect((await api.post(`${path}/columns`, { ...half, key: 'c' })).status).toBe(201);
  });

  it('is converted with the type of its column', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, [{ key: 'a', type: 'text', defaultValue: '12' }]);
    const changed = dataOf(await api.patch(`${path}/columns/a`, { type: 'integer' }), 200);
    expect(changed).toMatchObject({ type: 'integer', defaultValue: 12 });
  });

  it('is normalized if its column becomes one of times', async () => {
    const { api } = team.owner;
    const at = { key: 'at', type: 'text', defaultValue: '2026-01-01T01:00:00+01:00' };
    const path = await newDatagrid(api, [NAME, at]);
    const changed = dataOf(await api.patch(`${path}/columns/at`, { type: 'datetime' }), 200);
    expect(changed.defaultValue).toBe('2026-01-01T00:00:00.000Z');
    const operations = [{ op: 'upsert', matchOn: ['name'], values: { name: 'a' } }];
    expect((await api.post(`${path}/rows/batch`, { mode: 'atomic', operations })).status).toBe(200);
    expect((await importCsv(api, path, 'name\nb\n')).status).toBe(201);
    expect(await valuesOf(path)).toEqual([
      { name: 'a', at: '2026-01-01T00:00:00.000Z' },
      { name: 'b', at: '2026-01-01T00:00:00.000Z' },
    ]);
  });

  it('rejects a change of type or choices that it does not fit', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, [
      { key: 'a', type: 'text', defaultValue: 'x' },
      { ...SIZE, defaultValue: 'm' },
    ]);
    for (const [key, change, code] of [
      ['a', { type: 'integer', convert: true }, 'invalid_format'],
      ['size', { options: { choices: ['s'] } }, 'invalid_format'],
      ['a', { unique: true }, 'incompatible_parameters'],
    ] as const) {
      const rejected = await api.patch(`${path}/columns/${key}`, change);
      expectFailure(rejected, 'invalid_request', [`defaultValue ${code}`]);
    }
    const change = { type: 'integer', defaultValue: 7 };
    expect(dataOf(await api.patch(`${path}/columns/a`, change), 200).defaultValue).toBe(7);
  });

  it('is counted in the size of a row, which is rejected beyond MAX_ROW_BYTES', async () => {
    await app.withSettings({ MAX_ROW_BYTES: '2048' }, async () => {
      const { api } = await app.newAccount();
      const path = await newDatagrid(api, [
        NAME,
        { key: 'a', type: 'text', defaultValue: 'x'.repeat(1_500) },
        { key: 'b', type: 'text' },
      ]);
      const values = { name: 'n', b: 'y'.repeat(1_000) };
      expect((await api.post(`${path}/rows`, { values })).status).toBe(413);
      const batch = { mode: 'atomic', operations: [{ op: 'upsert', matchOn: ['name'], values }] };
      expect((await api.post(`${path}/rows/batch`, batch)).status).toBe(413);
      const line = JSON.stringify(values) + '\n';
      const imported = await importNdjson(api, path, line);
      expectFailure(imported, 'invalid_request', ['lines.1 too_large']);
    });
  });
});
