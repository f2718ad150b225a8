import { expectFailure } from '../support/failure';
import { dataOf, RFC3339, UUID_V7 } from '../support/fixture';
import { describePaging } from '../support/paging-contract';
import { apiOf, newWorkspace, runName } from './support/deployment';

const api = apiOf('own');

describe('a workspace', () => {
  it('is created, read, updated and deleted', async () => {
    const name = runName();
    const made = dataOf(await api.post('/workspaces', { name: ` ${name} ` }), 201);
    expect(made).toEqual({
      id: expect.stringMatching(UUID_V7),
      name,
      description: '',
      createdAt: expect.stringMatching(RFC3339),
      updatedAt: made.createdAt,
    });
    const path = `/workspaces/${String(made.id)}`;
    const read = await api.get(path);
    expect(dataOf(read, 200)).toEqual(made);
    const etag = read.headers.get('etag') ?? '';
    expect((await api.get(path, { 'if-none-match': etag })).status).toBe(304);

    const changed = dataOf(await api.patch(path, { description: 'd' }, { 'if-match': etag }), 200);
    expect(changed).toMatchObject({ id: made.id, name, description: 'd' });
    const late = await api.patch(path, { description: 'late' }, { 'if-match': etag });
    expectFailure(late, 'precondition_failed');

    expect((await api.delete(path)).status).toBe(204);
    expectFailure(await api.get(path), 'not_found');
  });

  it('returns 409 if its name is already used, ignoring case', async () => {
    const name = `${runName()} Ä`;
    dataOf(await api.post('/workspaces', { name }), 201);
    const again = await api.post('/workspaces', { name: name.toLowerCase() });
    expectFailure(again, 'conflict', ['name duplicate']);
  });

  it.each([{}, { name: '' }, { name: ' ' }, { name: 1 }, { name: 'a'.repeat(201) }])(
    'returns 400 for the body %j',
    async (body) => {
      const response = await api.post('/workspaces', body);
      expect([response.status, response.body.error.details[0].field]).toEqual([400, 'name']);
    },
  );
});

describe('the datagrids of a workspace', () => {
  let path: string;

  beforeAll(async () => {
    path = `/workspaces/${await newWorkspace()}/datagrids`;
    for (let n = 0; n < 25; n += 1)
      dataOf(await api.post(path, { name: `Grid ${String(n)}` }), 201);
  });

  describePaging(() => ({ api, path, total: 25 }));

  it.each(['0', '-1', '1.5', '201', '1e2', 'x', ''])(
    'return 400 for a limit of "%s"',
    async (limit) => {
      const response = await api.get(`${path}?limit=${limit}`);
      expect([response.status, response.body.error.details[0].field]).toEqual([400, 'limit']);
    },
  );

  it('keep their workspace from being deleted without cascade=true', async () => {
    const workspace = path.replace('/datagrids', '');
    expectFailure(await api.delete(workspace), 'conflict');
    expect((await api.delete(`${workspace}?cascade=true`)).status).toBe(204);
    expectFailure(await api.get(path), 'not_found');
  });
});

describe('the trash', () => {
  it('restores a datagrid unchanged, and deletes it permanently', async () => {
    const grids = `/workspaces/${await newWorkspace()}/datagrids`;
    const columns = [{ key: 'a', type: 'text' }];
    const grid = dataOf(await api.post(grids, { name: 'Kept', columns }), 201);
    const path = `/datagrids/${String(grid.id)}`;
    dataOf(await api.post(`${path}/rows`, { values: { a: 'x' } }), 201);
    expect((await api.delete(path)).status).toBe(204);
    expectFailure(await api.get(`${path}/rows`), 'not_found');

    const item = `/trash/${String(grid.id)}`;
    const restored = dataOf(await api.post(`${item}/restore`), 200);
    expect(restored).toMatchObject({ id: grid.id, rowCount: 1, columns: grid.columns });
    const rows = await api.get(`${path}/rows`);
    expect(rows.body.data).toMatchObject([{ id: 1, values: { a: 'x' } }]);

    expect((await api.delete(path)).status).toBe(204);
    expect((await api.delete(item)).status).toBe(204);
    expectFailure(await api.post(`${item}/restore`), 'not_found');
  });
});
