import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newDatagrid,
  newSqlQuery,
  newTeam,
  newWorkspace,
  NO_ID,
  RFC3339,
  type Team,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';

const QUERY = { name: 'By state', sql: 'SELECT state, count(*)\nFROM airports GROUP BY ALL' };

let app: TestApp;
let team: Team;
let workspaceId: string;
let queries: string;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

beforeEach(async () => {
  workspaceId = await newWorkspace(team.owner.api);
  queries = `/workspaces/${workspaceId}/sql/queries`;
});

afterAll(() => app.close());

describe('a saved query', () => {
  it('is returned as it was created, and in the list', async () => {
    const created = await team.editor.api.post(queries, QUERY);
    const query = dataOf(created, 201);
    expect(query).toEqual({
      ...{ id: expect.any(String), ...QUERY },
      ...{ createdAt: expect.stringMatching(RFC3339), updatedAt: query.createdAt },
    });
    const read = await team.viewer.api.get(`${queries}/${String(query.id)}`);
    expect(dataOf(read, 200)).toEqual(query);
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
    const { body } = await team.viewer.api.get(queries);
    expect(body.data).toEqual([query]);
    expect(body.meta).toMatchObject({ total: 1, page: 1 });
  });

  it('keeps what an update does not send', async () => {
    const path = `${queries}/${await newSqlQuery(team.editor.api, workspaceId, QUERY)}`;
    const renamed = dataOf(await team.editor.api.patch(path, { name: 'States' }), 200);
    expect(renamed).toMatchObject({ ...QUERY, name: 'States' });
    const changed = dataOf(await team.editor.api.patch(path, { sql: 'SELECT 2' }), 200);
    expect(changed).toMatchObject({ name: 'States', sql: 'SELECT 2' });
  });

  it('is changed and deleted only in the version that If-Match names', async () => {
    const { api } = team.editor;
    const path = `${queries}/${await newSqlQuery(api, workspaceId)}`;
    const stale = { 'if-match': (await api.get(path)).headers.get('etag') ?? '' };
    const changed = await api.patch(path, { sql: 'SELECT 2' }, stale);
    expect(changed.status).toBe(200);
    expectFailure(await api.patch(path, { sql: 'SELECT 3' }, stale), 'precondition_failed');
    expectFailure(await api.send('DELETE', path, undefined, stale), 'precondition_failed');
    const now = { 'if-match': changed.headers.get('etag') ?? '' };
    expect((await api.send('DELETE', path, undefined, now)).status).toBe(204);
    expectFailure(await api.get(path), 'not_found');
  });

  it('is not found through another account or another workspace', async () => {
    const id = await newSqlQuery(team.editor.api, workspaceId);
    const other = await newTeam(app);
    const elsewhere = await newWorkspace(team.owner.api);
    for (const [api, path] of [
      [other.owner.api, `${queries}/${id}`],
      [team.owner.api, `/workspaces/${elsewhere}/sql/queries/${id}`],
      [team.owner.api, `${queries}/${NO_ID}`],
    ] as const) {
      expectFailure(await api.get(path), 'not_found');
      expectFailure(await api.patch(path, { sql: 'SELECT 2' }), 'not_found');
      expectFailure(await api.delete(path), 'not_found');
    }
    expectFailure(await other.owner.api.get(queries), 'not_found');
    expectFailure(await other.owner.api.post(queries, QUERY), 'not_found');
    expect(dataOf(await team.viewer.api.get(`${queries}/${id}`), 200).sql).toBe('SELECT 1');
  });

  it('has a name of its own in the workspace, ignoring case', async () => {
    const { api } = team.editor;
    await newSqlQuery(api, workspaceId, { name: 'Straße' });
    const id = await newSqlQuery(api, workspaceId, { name: 'Other' });
    const taken = ['name duplicate'];
    expectFailure(await api.post(queries, { ...QUERY, name: 'STRASSE' }), 'conflict', taken);
    expectFailure(await api.patch(`${queries}/${id}`, { name: 'strasse' }), 'conflict', taken);
    await newSqlQuery(api, await newWorkspace(team.owner.api), { name: 'Straße' });
  });

  it.each([
    [{ sql: '' }, 'sql out_of_range'],
    [{ sql: 'x'.repeat(20_001) }, 'sql out_of_range'],
    [{ sql: null }, 'sql wrong_type'],
    [{ sql: 7 }, 'sql wrong_type'],
    [{ name: ' ' }, 'name out_of_range'],
    [{ parameters: [] }, 'parameters unknown_property'],
  ])('rejects %p', async (part, detail) => {
    const { api } = team.editor;
    expectFailure(await api.post(queries, { ...QUERY, ...part }), 'invalid_request', [detail]);
    const path = `${queries}/${await newSqlQuery(api, workspaceId)}`;
    expectFailure(await api.patch(path, part), 'invalid_request', [detail]);
  });

  it('is rejected as the 101st of its workspace, also among concurrent requests', async () => {
    await app.sql.query(
      `INSERT INTO sql_queries (workspace_id, id, name, name_key, sql)
       SELECT $1, gen_random_uuid(), 'Q' || n, 'q' || n, 'SELECT 1' FROM generate_series(1, 99) n`,
      [workspaceId],
    );
    const last = await Promise.all(
      ['a', 'b', 'c'].map((name) => team.editor.api.post(queries, { ...QUERY, name })),
    );
    const rejected = last.filter(({ status }) => status !== 201);
    expect(rejected).toHaveLength(2);
    for (const one of rejected) {
      expectFailure(one, 'conflict');
      expect(one.body.error.message).toBe(
        'The workspace has 100 saved queries, which is the maximum. Delete a query first.',
      );
    }
  });

  it('is in the list in the order of creation, page by page', async () => {
    const { api } = team.editor;
    const names = ['c', 'a', 'b'];
    for (const name of names) await newSqlQuery(api, workspaceId, { name });
    const page = async (number: number): Promise<unknown> => {
      const { body } = await api.get(`${queries}?limit=2&page=${String(number)}`);
      return [body.meta.total, (body.data as { name: string }[]).map(({ name }) => name)];
    };
    expect([await page(1), await page(2), await page(3)]).toEqual([
      [3, ['c', 'a']],
      [3, ['b']],
      [3, []],
    ]);
  });

  it('is not found by a key that is limited to datagrids', async () => {
    const grid = await newDatagrid(team.owner.api, [], workspaceId);
    const id = await newSqlQuery(team.owner.api, workspaceId);
    const datagridIds = [grid.split('/').at(-1)];
    const console = await app.console(team.owner);
    const { key } = dataOf(await console.post('/keys', { name: 'Limited', datagridIds }), 201);
    expectFailure(await app.api(key).get(queries), 'not_found');
    expectFailure(await app.api(key).get(`${queries}/${id}`), 'not_found');
  });

  it('stays while its workspace is in the trash, and is deleted with it', async () => {
    const { api } = team.owner;
    const id = await newSqlQuery(api, workspaceId, QUERY);
    await api.delete(`/workspaces/${workspaceId}`);
    expectFailure(await api.get(`${queries}/${id}`), 'not_found');
    dataOf(await api.post(`/trash/${workspaceId}/restore`), 200);
    expect(dataOf(await api.get(`${queries}/${id}`), 200)).toMatchObject(QUERY);
    await api.delete(`/workspaces/${workspaceId}`);
    expect((await api.delete(`/trash/${workspaceId}`)).status).toBe(204);
    const left = await app.sql.query('SELECT FROM sql_queries WHERE id = $1', [id]);
    expect(left.rowCount).toBe(0);
  });
});
