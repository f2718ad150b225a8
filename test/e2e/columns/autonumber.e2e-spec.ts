import type { ApiClient } from '../../support/api-client';
import { ChangeReader } from '../../support/change-reader';
import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importCsv, importNdjson } from '../import/sending';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const NAME = { key: 'name', type: 'text', unique: true };
const NO = { key: 'no', type: 'autonumber', options: { start: 100 }, indexed: true };
const READ_ONLY = 'is set by the service; leave it out';

interface Row {
  readonly id: number;
  readonly values: Record<string, unknown>;
}

async function rowsOf(path: string, query = ''): Promise<Row[]> {
  const response = await team.viewer.api.get(`${path}/rows?limit=200${query}`);
  return dataOf(response, 200);
}

/** Returns name and number of each row. */
async function numbersOf(path: string, query = ''): Promise<unknown[]> {
  return (await rowsOf(path, query)).map(({ values }) => [values['name'], values['no']]);
}

const create = async (path: string, name: string, api: ApiClient = team.editor.api): Promise<Row> =>
  dataOf(await api.post(`${path}/rows`, { values: { name } }), 201);

describe('a column of type autonumber', () => {
  it('numbers rows in the order of their creation, on every way to create rows', async () => {
    const { api } = team.editor;
    const path = await newDatagrid(team.owner.api, [NAME, NO]);
    expect((await create(path, 'single')).values).toEqual({ name: 'single', no: 100 });
    const rows = [{ values: { name: 'list' } }, { values: { name: 'null', no: null } }];
    const list = dataOf(await api.post(`${path}/rows`, { rows }), 201) as unknown as Row[];
    expect(list.map(({ values }) => values)).toEqual([
      { name: 'list', no: 101 },
      { name: 'null', no: 102 },
    ]);
    const creates = [
      { op: 'create', values: { name: 'batch' } },
      { op: 'create', values: { name: 'batch 2' } },
    ];
    const batch = await api.post(`${path}/rows/batch`, { mode: 'atomic', operations: creates });
    expect(JSON.stringify(dataOf(batch, 200))).toContain('"name":"batch 2","no":104');
    const mixed = [
      { op: 'update', id: 1, values: { name: 'changed' } },
      { op: 'create', values: { name: 'mixed' } },
      { op: 'upsert', matchOn: ['name'], values: { name: 'upserted' } },
    ];
    const results = await api.post(`${path}/rows/batch`, { mode: 'partial', operations: mixed });
    expect(JSON.stringify(dataOf(results, 200))).toContain('"name":"upserted","no":106');
    const upsert = { matchOn: ['name'], rows: [{ values: { name: 'row upsert' } }] };
    dataOf(await api.put(`${path}/rows`, upsert), 200);
    dataOf(await importCsv(api, path, 'name\ncsv\ncsv 2\n'), 201);
    dataOf(await importNdjson(api, path, '{"name":"ndjson"}\n{"no":null}\n'), 201);
    const query = '?mode=upsert&matchOn=name';
    dataOf(await importCsv(api, path, 'name\ncsv\nimport upsert\n', query), 201);
    expect(await numbersOf(path)).toEqual([
      ['changed', 100],
      ['list', 101],
      ['null', 102],
      ['batch', 103],
      ['batch 2', 104],
      ['mixed', 105],
      ['upserted', 106],
      ['row upsert', 107],
      ['csv', 108],
      ['csv 2', 109],
      ['ndjson', 110],
      [undefined, 111],
      ['import upsert', 112],
    ]);
  });

  it('gives writers at the same time different numbers, without gaps', async () => {
    const path = await newDatagrid(team.owner.api, [NAME, { ...NO, options: {} }]);
    const writers = [team.owner.api, team.admin.api, team.editor.api];
    const created = await Promise.all(
      Array.from({ length: 60 }, (_, n) => {
        const api = writers[n % writers.length] ?? team.owner.api;
        // A rejected row does not use up a number.
        if (n % 10 === 9) return create(path, `row ${String(n)}`, api);
        const rows = [{ values: { name: `list ${String(n)}` } }, { values: {} }];
        return api
          .post(`${path}/rows`, n % 2 === 0 ? { rows } : { values: { name: `row ${String(n)}` } })
          .then((response) => dataOf(response, 201));
      }),
    );
    const returned = created.flat().map((row) => (row as unknown as Row).values['no'] as number);
    const expected = Array.from({ length: returned.length }, (_, n) => n + 1);
    expect(returned.sort((a, b) => a - b)).toEqual(expected);
    const stored = await rowsOf(path, '&sort=no');
    expect(stored.map(({ values }) => values['no'])).toEqual(expected);
    expect(stored.map(({ id }) => id)).toEqual(expected);
  });

  it('skips no number for rejected rows, and the numbers of deleted rows', async () => {
    const { api } = team.editor;
    const path = await newDatagrid(team.owner.api, [NAME, NO]);
    await create(path, 'a');
    const duplicates = await Promise.all(
      Array.from({ length: 4 }, () => api.post(`${path}/rows`, { values: { name: 'a' } })),
    );
    expect(duplicates.map(({ status }) => status)).toEqual([409, 409, 409, 409]);
    await create(path, 'b');
    expect((await api.delete(`${path}/rows/2`)).status).toBe(204);
    await create(path, 'c');
    expect(await numbersOf(path)).toEqual([
      ['a', 100],
      ['c', 102],
    ]);
  });

  it('numbers the rows of a datagrid to which it is added, and logs them as changed', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, [NAME]);
    const rows = Array.from({ length: 1_000 }, (_, n) => ({ values: { name: String(n) } }));
    for (const part of [rows.slice(0, 500), rows.slice(500)]) {
      dataOf(await api.post(`${path}/rows`, { rows: part }), 201);
    }
    expect((await api.delete(`${path}/rows/1`)).status).toBe(204);
    expect((await api.delete(`${path}/rows/3`)).status).toBe(204);
    const reader = new ChangeReader(team.viewer.key, path);
    await reader.catchUp(app.origin);
    const before = await rowsOf(path);
    dataOf(await api.post(`${path}/columns`, NO), 201);
    const after = await rowsOf(path);
    expect(after[0]).toEqual({ ...before[0], values: { name: '1', no: 100 } });
    expect(after[1]?.values).toEqual({ name: '3', no: 102 });
    expect((await create(path, 'next')).values['no']).toBe(1_099);
    const found = await rowsOf(path, '&filter={"no":{"$gte":1098}}&sort=-no');
    expect(found.map(({ values }) => values['no'])).toEqual([1_099, 1_098]);
    await reader.catchUp(app.origin);
    expect(reader.copy.rows.get(4)?.values).toEqual({ name: '3', no: 102 });
    expect(reader.copy.rows.get(1_001)?.values).toEqual({ name: 'next', no: 1_099 });
    // A row that was deleted before has a number, too, which no other row has.
    dataOf(await api.post(`${path}/trash/rows/restore`, { ids: [1] }), 200);
    expect((await rowsOf(path))[0]?.values).toEqual({ name: '0', no: 99 });
  });

  it('is not added to a datagrid with more rows than can be numbered at once', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, [NAME]);
    await create(path, 'a');
    const setCount = (count: number): Promise<unknown> =>
      app.sql.query('UPDATE datagrid_counters SET row_count = $2 WHERE datagrid_id = $1', [
        path.slice('/datagrids/'.length),
        count,
      ]);
    await setCount(500_001);
    const response = await api.post(`${path}/columns`, NO);
    await setCount(1);
    expectFailure(response, 'conflict');
    expect(response.body.error.message).toContain('500,001 rows');
    expect(dataOf(await api.get(path), 200).columns).toHaveLength(1);
  });

  it('starts at its first number in a datagrid whose rows were all deleted', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, [NAME]);
    await create(path, 'a');
    expect((await api.delete(`${path}/rows/1`)).status).toBe(204);
    dataOf(await api.post(`${path}/columns`, { key: 'no', type: 'autonumber' }), 201);
    expect((await create(path, 'b')).values).toEqual({ name: 'b', no: 1 });
  });

  it('keeps the number of a row that is changed, replaced, deleted, restored and undone', async () => {
    const { api } = team.editor;
    const path = await newDatagrid(team.owner.api, [NAME, NO]);
    dataOf(await team.owner.api.patch(path, { history: true }), 200);
    await create(path, 'a');
    await create(path, 'b');
    const row = `${path}/rows/2`;
    const merged = dataOf(await api.patch(row, { values: { name: 'c' } }), 200);
    expect(merged.values).toEqual({ name: 'c', no: 101 });
    const replaced = dataOf(await api.put(row, { values: {} }), 200);
    expect(replaced.values).toEqual({ no: 101 });
    const replace = { op: 'replace', id: 2, values: { name: 'd' } };
    const batch = { mode: 'atomic', operations: [replace] };
    const results = dataOf(await api.post(`${path}/rows/batch`, batch), 200);
    expect(JSON.stringify(results)).toContain('"no":101');
    const again = dataOf(await api.post(`${path}/rows/batch`, batch), 200);
    expect(JSON.stringify(again)).toContain('"unchanged"');
    expect((await api.delete(row)).status).toBe(204);
    dataOf(await api.post(`${path}/trash/rows/restore`, { ids: [2] }), 200);
    expect(await numbersOf(path)).toEqual([
      ['a', 100],
      ['d', 101],
    ]);
    dataOf(await api.post(`${row}/restore`, { revision: 2 }), 200);
    dataOf(await api.post(`${path}/rows/undo`, { revision: 8 }), 200);
    expect(await numbersOf(path)).toEqual([
      ['a', 100],
      ['d', 101],
    ]);
    dataOf(await api.post(`${path}/rows/delete`, { filter: { no: 101 } }), 200);
    dataOf(await api.post(`${path}/rows/undo`, { revision: 10 }), 200);
    expect(await numbersOf(path, '&filter={"no":101}')).toEqual([['d', 101]]);
  });

  it('rejects values of clients, except those that the row has', async () => {
    const { api } = team.editor;
    const path = await newDatagrid(team.owner.api, [NAME, NO]);
    const body = { values: { name: 'a', no: 100 } };
    const problem = 'values.no read_only';
    const rejected = await api.post(`${path}/rows`, body);
    expectFailure(rejected, 'invalid_request', [problem]);
    expect(rejected.body.error.message).toBe(`values.no: ${READ_ONLY}`);
    const list = await api.post(`${path}/rows`, { rows: [body] });
    expectFailure(list, 'invalid_request', [`rows.0.${problem}`]);
    await create(path, 'a');
    const read = dataOf(await api.get(`${path}/rows/1`), 200) as unknown as Row;
    const changed = { values: { ...read.values, name: 'b' } };
    expect(dataOf(await api.put(`${path}/rows/1`, changed), 200).values).toEqual(changed.values);
    expect(dataOf(await api.patch(`${path}/rows/1`, changed), 200).values).toEqual(changed.values);
    for (const no of [101, '100', null]) {
      const wrong = { values: { name: 'c', no } };
      for (const write of [api.put.bind(api), api.patch.bind(api)]) {
        const response = await write(`${path}/rows/1`, wrong);
        expectFailure(response, 'invalid_request', [problem]);
      }
      const operations = [
        { op: 'update', id: 1, values: wrong.values },
        { op: 'replace', id: 1, values: wrong.values },
        { op: 'upsert', matchOn: ['name'], values: { name: 'b', no } },
      ];
      const batch = { mode: 'partial', operations };
      const response = await api.post(`${path}/rows/batch`, batch);
      expect(JSON.stringify(dataOf(response, 200)).match(/"code":"read_only"/g)).toHaveLength(3);
    }
    const upsert = (values: object): object => ({ matchOn: ['name'], rows: [{ values }] });
    const same = await api.put(`${path}/rows`, upsert({ name: 'b', no: 100 }));
    expect(JSON.stringify(dataOf(same, 200))).toContain('"unchanged"');
    const created = await api.put(`${path}/rows`, upsert({ name: 'new', no: 101 }));
    expectFailure(created, 'invalid_request', [`rows.0.${problem}`]);
    expect((await api.patch(`${path}/rows/9`, changed)).status).toBe(404);
    expect(await numbersOf(path)).toEqual([['b', 100]]);
  });

  it('rejects columns of a file that name it', async () => {
    const { api } = team.editor;
    const path = await newDatagrid(team.owner.api, [NAME, { ...NO, title: 'Number' }]);
    for (const header of ['no', 'Number']) {
      const response = await importCsv(api, path, `name,${header}\na,1\n`);
      expectFailure(response, 'invalid_request', ['header.1 read_only']);
    }
    const lines = await importNdjson(api, path, '{"name":"a","no":1}\n');
    expectFailure(lines, 'invalid_request', ['lines.1.no read_only']);
  });

  it('imports an export into another datagrid, with new numbers and all other values', async () => {
    const { api } = team.editor;
    const columns = [NO, NAME, { key: 'by', type: 'createdBy' }];
    const path = await newDatagrid(team.owner.api, columns);
    const rows = ['a', 'b', 'c'].map((name) => ({ values: { name } }));
    dataOf(await team.admin.api.post(`${path}/rows`, { rows }), 201);
    expect((await api.delete(`${path}/rows/1`)).status).toBe(204);
    for (const [format, send] of [
      ['csv', importCsv],
      ['ndjson', importNdjson],
    ] as const) {
      const query = `?format=${format}&shape=values`;
      const { text } = await api.get(
        `${path}/rows/export${format === 'csv' ? '?format=csv' : query}`,
      );
      const other = await newDatagrid(team.owner.api, columns);
      const report = dataOf(await send(api, other, text, '?ignoreReadOnly=true'), 201);
      expect(report).toMatchObject({ created: 2, rejected: 0 });
      const copied = await rowsOf(other);
      expect(copied.map(({ values }) => values)).toEqual([
        { name: 'b', no: 100, by: team.editor.keyId },
        { name: 'c', no: 101, by: team.editor.keyId },
      ]);
      // An upsert changes no row because of values that it leaves out.
      const upsert = '?ignoreReadOnly=true&mode=upsert&matchOn=name';
      const again = dataOf(await send(api, other, text, upsert), 201);
      expect(again).toMatchObject({ created: 0, updated: 0, unchanged: 2 });
    }
  });

  it('cannot be required, unique, have a default value or another start', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, [NAME, NO]);
    for (const rule of [{ required: true }, { unique: true }, { defaultValue: 1 }]) {
      const body = { key: 'b', type: 'autonumber', ...rule };
      const [name] = Object.keys(rule);
      const response = await api.post(`${path}/columns`, body);
      expectFailure(response, 'invalid_request', [`${String(name)} incompatible_parameters`]);
    }
    const restart = await api.patch(`${path}/columns/no`, { options: { start: 1 } });
    expectFailure(restart, 'invalid_request', ['options.start incompatible_parameters']);
    dataOf(await api.patch(`${path}/columns/no`, { title: 'N', options: { start: 100 } }), 200);
  });

  it('becomes an integer with its values, and no other column becomes an autonumber', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, [NAME, NO]);
    await create(path, 'a');
    const changed = dataOf(await api.patch(`${path}/columns/no`, { type: 'integer' }), 200);
    expect(changed).toMatchObject({ type: 'integer', options: {} });
    dataOf(await api.post(`${path}/rows`, { values: { name: 'b', no: 5 } }), 201);
    await create(path, 'c');
    expect(await numbersOf(path)).toEqual([
      ['a', 100],
      ['b', 5],
      ['c', undefined],
    ]);
    const back = await api.patch(`${path}/columns/no`, { type: 'autonumber' });
    expectFailure(back, 'invalid_request', ['type incompatible_parameters']);
  });

  it('numbers the rows that were created while the column was removed', async () => {
    const { api } = team.owner;
    const path = await newDatagrid(api, [NAME, NO]);
    await create(path, 'a');
    expect((await api.delete(`${path}/columns/no`)).status).toBe(204);
    await create(path, 'b');
    dataOf(await api.post(`${path}/trash/columns/restore`, { id: 2 }), 200);
    await create(path, 'c');
    expect(await numbersOf(path)).toEqual([
      ['a', 100],
      ['b', 101],
      ['c', 102],
    ]);
  });
});
