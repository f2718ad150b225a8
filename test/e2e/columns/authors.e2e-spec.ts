import { expectFailure } from '../../support/failure';
import { dataOf, newDatagrid, newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { problemsOf } from '../../support/verify';
import { importCsv } from '../import/sending';

let app: TestApp;
let team: Team;
/** Ids of the keys of the editor and of the admin. */
let editor: string;
let admin: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
  editor = team.editor.keyId;
  admin = team.admin.keyId;
});

afterAll(async () => {
  expect(await problemsOf(app)).toEqual([]);
  await app.close();
});

const COLUMNS = [
  { key: 'name', type: 'text', unique: true },
  { key: 'by', type: 'createdBy', indexed: true },
  { key: 'last', type: 'updatedBy', indexed: true },
];

/** Returns name, creator and last author of each row. */
async function authorsOf(path: string, query = ''): Promise<unknown[]> {
  const response = await team.viewer.api.get(`${path}/rows?limit=200${query}`);
  const rows = dataOf(response, 200) as unknown as { values: Record<string, unknown> }[];
  return rows.map(({ values }) => [values['name'], values['by'], values['last']]);
}

const create = async (path: string, name: string): Promise<void> => {
  dataOf(await team.editor.api.post(`${path}/rows`, { values: { name } }), 201);
};

describe('columns of type createdBy and updatedBy', () => {
  it('name the key that creates rows, on every way to create them', async () => {
    const { api } = team.editor;
    const path = await newDatagrid(team.owner.api, COLUMNS);
    const single = dataOf(await api.post(`${path}/rows`, { values: { name: 'single' } }), 201);
    expect(single.values).toEqual({ name: 'single', by: editor, last: editor });
    dataOf(await api.post(`${path}/rows`, { rows: [{ values: { name: 'list' } }] }), 201);
    const operations = [{ op: 'create', values: { name: 'batch' } }];
    const batch = await api.post(`${path}/rows/batch`, { mode: 'atomic', operations });
    expect(JSON.stringify(dataOf(batch, 200))).toContain(`"by":"${editor}"`);
    const upsert = { matchOn: ['name'], rows: [{ values: { name: 'upsert' } }] };
    dataOf(await api.put(`${path}/rows`, upsert), 200);
    dataOf(await importCsv(api, path, 'name\ncsv\n'), 201);
    const query = '?mode=upsert&matchOn=name';
    dataOf(await importCsv(api, path, 'name\nimport upsert\n', query), 201);
    const names = ['single', 'list', 'batch', 'upsert', 'csv', 'import upsert'];
    expect(await authorsOf(path)).toEqual(names.map((name) => [name, editor, editor]));
    expect(await authorsOf(path, `&filter={"by":"${admin}"}`)).toEqual([]);
    expect(await authorsOf(path, `&filter={"last":"${editor}"}`)).toHaveLength(6);
  });

  it('name the author of each row that is inserted together with others', async () => {
    const path = await newDatagrid(team.owner.api, COLUMNS);
    const creates = Array.from({ length: 40 }, (_, n) => {
      const { api } = n % 2 === 0 ? team.editor : team.admin;
      return api.post(`${path}/rows`, {
        values: { name: n % 2 === 0 ? `e${String(n)}` : `a${String(n)}` },
      });
    });
    for (const response of await Promise.all(creates)) dataOf(response, 201);
    for (const [name, by, last] of (await authorsOf(path)) as string[][]) {
      const author = name?.startsWith('e') === true ? editor : admin;
      expect([by, last]).toEqual([author, author]);
    }
  });

  it('name the user of a session', async () => {
    const user = await app.newUser(team.owner.accountId, 'editor');
    const session = await app.console(user);
    const path = await newDatagrid(team.owner.api, COLUMNS);
    await create(path, 'a');
    dataOf(await session.post(`/data${path}/rows`, { values: { name: 'b' } }), 201);
    dataOf(await session.patch(`/data${path}/rows/1`, { values: { name: 'c' } }), 200);
    expect(await authorsOf(path)).toEqual([
      ['c', editor, user.userId],
      ['b', user.userId, user.userId],
    ]);
  });

  it('name the key of the last change, and keep the creator', async () => {
    const { api } = team.admin;
    const path = await newDatagrid(team.owner.api, COLUMNS);
    dataOf(await team.owner.api.patch(path, { history: true }), 200);
    const names = ['merged', 'replaced', 'batch', 'batch replaced', 'same', 'upserted', 'imported'];
    for (const name of names) await create(path, name);
    const merged = dataOf(await api.patch(`${path}/rows/1`, { values: {} }), 200);
    expect(merged.values).toEqual({ name: 'merged', by: editor, last: admin });
    const replaced = dataOf(await api.put(`${path}/rows/2`, { values: { name: 'r' } }), 200);
    expect(replaced.values).toEqual({ name: 'r', by: editor, last: admin });
    const operations = [
      { op: 'update', id: 3, values: { name: 'b' } },
      { op: 'replace', id: 4, values: { name: 'br' } },
      { op: 'replace', id: 5, values: { name: 'same' } },
      { op: 'upsert', matchOn: ['name'], values: { name: 'upserted' } },
    ];
    const batch = await api.post(`${path}/rows/batch`, { mode: 'atomic', operations });
    expect(JSON.stringify(dataOf(batch, 200)).match(/"unchanged"/g)).toHaveLength(2);
    dataOf(await team.owner.api.post(`${path}/columns`, { key: 'n', type: 'integer' }), 201);
    const query = '?mode=upsert&matchOn=name';
    dataOf(await importCsv(api, path, 'name,n\nimported,1\nupserted,\n', query), 201);
    const expected = [
      ['merged', editor, admin],
      ['r', editor, admin],
      ['b', editor, admin],
      ['br', editor, admin],
      ['same', editor, editor],
      ['upserted', editor, editor],
      ['imported', editor, admin],
    ];
    expect(await authorsOf(path)).toEqual(expected);
    const mine = await authorsOf(path, `&filter={"last":"${admin}"}&sort=last`);
    expect(mine).toHaveLength(5);
  });

  it('name the author of a restore and of an undo, and keep the creator', async () => {
    const { api } = team.admin;
    const path = await newDatagrid(team.owner.api, COLUMNS);
    dataOf(await team.owner.api.patch(path, { history: true }), 200);
    for (const name of ['a', 'b', 'c']) await create(path, name);
    dataOf(await team.editor.api.patch(`${path}/rows/1`, { values: { name: 'a2' } }), 200);
    dataOf(await api.post(`${path}/rows/1/restore`, { revision: 1 }), 200);
    dataOf(await team.editor.api.patch(`${path}/rows/2`, { values: { name: 'b2' } }), 200);
    dataOf(await api.post(`${path}/rows/undo`, { revision: 6 }), 200);
    expect((await team.editor.api.delete(`${path}/rows/3`)).status).toBe(204);
    dataOf(await api.post(`${path}/trash/rows/restore`, { ids: [3] }), 200);
    expect(await authorsOf(path)).toEqual([
      ['a', editor, admin],
      ['b', editor, admin],
      ['c', editor, admin],
    ]);
    const history = dataOf(await api.get(`${path}/rows/1/history`), 200);
    const versions = history as unknown as { keyId: string; values: Record<string, unknown> }[];
    expect(versions.map(({ keyId, values }) => [keyId, values['last']])).toEqual([
      [admin, admin],
      [editor, editor],
      [editor, editor],
    ]);
  });

  it('name the author of a deletion that clears links, and of a conversion', async () => {
    const workspace = dataOf(await team.owner.api.post('/workspaces', { name: 'Authors' }), 201).id;
    const target = await newDatagrid(team.owner.api, [{ key: 'n', type: 'text' }], workspace);
    const datagridId = target.slice('/datagrids/'.length);
    const link = { key: 'to', type: 'link', options: { datagridId, onDelete: 'clear' } };
    const path = await newDatagrid(
      team.owner.api,
      [...COLUMNS, link, { key: 'n', type: 'text' }],
      workspace,
    );
    dataOf(await team.editor.api.post(`${target}/rows`, { values: {} }), 201);
    const rows = [{ values: { to: 1 } }, { values: { name: '2', n: '5' } }, { values: {} }];
    dataOf(await team.editor.api.post(`${path}/rows`, { rows }), 201);
    expect((await team.admin.api.delete(`${target}/rows/1`)).status).toBe(204);
    const convert = { type: 'integer', convert: true };
    dataOf(await team.admin.api.patch(`${path}/columns/n`, convert), 200);
    expect(await authorsOf(path)).toEqual([
      [undefined, editor, admin],
      ['2', editor, admin],
      [undefined, editor, editor],
    ]);
    expect(await authorsOf(path, `&filter={"last":"${admin}"}`)).toHaveLength(2);
  });

  it('have no value in rows that exist when they are added, until the rows change', async () => {
    const path = await newDatagrid(team.owner.api, COLUMNS.slice(0, 1));
    await create(path, 'a');
    await create(path, 'b');
    for (const column of COLUMNS.slice(1)) {
      dataOf(await team.owner.api.post(`${path}/columns`, column), 201);
    }
    dataOf(await team.admin.api.put(`${path}/rows/2`, { values: { name: 'b' } }), 200);
    expect(await authorsOf(path)).toEqual([
      ['a', undefined, undefined],
      ['b', undefined, admin],
    ]);
  });

  it('accept the values that a row has, and no others', async () => {
    const { api } = team.admin;
    const path = await newDatagrid(team.owner.api, COLUMNS);
    await create(path, 'a');
    const { values } = dataOf(await api.get(`${path}/rows/1`), 200);
    dataOf(await api.put(`${path}/rows/1`, { values: { ...values, name: 'b' } }), 200);
    // The admin has changed the row since.
    const stale = await api.put(`${path}/rows/1`, { values });
    expectFailure(stale, 'invalid_request', ['values.last read_only']);
    const foreign = await api.patch(`${path}/rows/1`, { values: { by: admin } });
    expectFailure(foreign, 'invalid_request', ['values.by read_only']);
    const rejected = await api.post(`${path}/rows`, { values: { by: admin, last: admin } });
    expectFailure(rejected, 'invalid_request', ['values.by read_only', 'values.last read_only']);
    expect(await authorsOf(path)).toEqual([['b', editor, admin]]);
  });

  it('become text with their values, and can then be changed', async () => {
    const path = await newDatagrid(team.owner.api, COLUMNS);
    await create(path, 'a');
    dataOf(await team.owner.api.patch(`${path}/columns/by`, { type: 'text' }), 200);
    dataOf(await team.admin.api.patch(`${path}/rows/1`, { values: { name: 'b' } }), 200);
    await create(path, 'c');
    const text = { values: { by: 'Ada' } };
    dataOf(await team.editor.api.post(`${path}/rows`, text), 201);
    expect(await authorsOf(path)).toEqual([
      ['b', editor, admin],
      ['c', undefined, editor],
      [undefined, 'Ada', editor],
    ]);
  });

  it('have no author of the past that is wrong after updatedBy was removed and restored', async () => {
    const path = await newDatagrid(team.owner.api, COLUMNS);
    await create(path, 'a');
    await create(path, 'b');
    expect((await team.owner.api.delete(`${path}/columns/last`)).status).toBe(204);
    dataOf(await team.admin.api.patch(`${path}/rows/1`, { values: { name: 'c' } }), 200);
    dataOf(await team.owner.api.post(`${path}/trash/columns/restore`, { id: 3 }), 200);
    expect(await authorsOf(path)).toEqual([
      ['c', editor, undefined],
      ['b', editor, editor],
    ]);
    dataOf(await team.admin.api.patch(`${path}/rows/2`, { values: {} }), 200);
    expect(await authorsOf(path, `&filter={"last":"${admin}"}`)).toHaveLength(1);
  });
});
