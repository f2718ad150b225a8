import type { ApiResponse, ApiClient } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { dataOf, freshName, newDatagrid, newWorkspace } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { TestApp } from '../../support/test-app';
import { discard, idOf, newNamed, newSheet, restore } from './trashed';

const ROUNDS = 5;

let app: TestApp;
let api: ApiClient;

beforeAll(async () => {
  app = await TestApp.shared();
  api = (await app.newAccount()).api;
});

afterAll(() => app.close());

const statuses = async (...calls: Promise<ApiResponse>[]): Promise<number[]> =>
  (await Promise.all(calls)).map(({ status }) => status);

const idsIn = async (workspace: string): Promise<string[]> =>
  ((await api.get(`/workspaces/${workspace}/datagrids`)).body.data as { id: string }[]).map(
    ({ id }) => id,
  );

describe('concurrent calls for an item in the trash', () => {
  it.each(['datagrid', 'workspace'])(
    'restore a %s once, and the others return 404',
    async (kind) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const path = kind === 'datagrid' ? await newSheet(api) : (await newNamed(api)).path;
        await discard(api, path);
        const calls = Array.from({ length: 6 }, () => restore(api, path));
        expect((await statuses(...calls)).sort()).toEqual([200, 404, 404, 404, 404, 404]);
      }
    },
  );

  it.each(['datagrid', 'workspace'])(
    'restore or purge a %s, and the other call returns 404',
    async (kind) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const path = kind === 'datagrid' ? await newSheet(api) : (await newNamed(api)).path;
        await discard(api, path);
        const outcome = await statuses(restore(api, path), api.delete(`/trash/${idOf(path)}`));
        expect([
          [200, 404],
          [404, 204],
        ]).toContainEqual(outcome);
        expect((await api.get(path)).status).toBe(outcome[0]);
      }
    },
  );

  it('restore a workspace or create one with its name, and the other call returns 409', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { path, name } = await newNamed(api);
      await discard(api, path);
      const outcome = await statuses(restore(api, path), api.post('/workspaces', { name }));
      expect([
        [200, 409],
        [409, 201],
      ]).toContainEqual(outcome);
    }
  });

  it('restore one of two datagrids with the same name, and return 409 for the other', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const list = `/workspaces/${await newWorkspace(api)}/datagrids`;
      const name = freshName();
      const ids: string[] = [];
      while (ids.length < 2) {
        const { id } = dataOf(await api.post(list, { name }), 201);
        await discard(api, `/datagrids/${id}`);
        ids.push(id);
      }
      expect((await statuses(...ids.map((id) => restore(api, id)))).sort()).toEqual([200, 409]);
    }
  });
});

describe('a workspace that is deleted', () => {
  it.each(['', '?cascade=true'])(
    'has no visible datagrid in the trash if one is created at the same time (%j)',
    async (query) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const workspace = await newWorkspace(api);
        const [deleted, created] = await Promise.all([
          api.delete(`/workspaces/${workspace}${query}`),
          api.post(`/workspaces/${workspace}/datagrids`, { name: 'New' }),
        ]);
        const outcome = [deleted.status, created.status];
        const either = query === '' ? [409, 201] : [204, 201];
        expect([[204, 404], either]).toContainEqual(outcome);
        if (deleted.status === 409) continue;
        if (created.status === 201) {
          const path = `/datagrids/${created.body.data.id}`;
          expect((await api.get(path)).status).toBe(404);
        }
        expect((await restore(api, workspace)).status).toBe(200);
        const ids = created.status === 201 ? [created.body.data.id] : [];
        expect(await idsIn(workspace)).toEqual(ids);
      }
    },
  );

  it('has its datagrid in the trash, even if it is restored at the same time', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const workspace = await newWorkspace(api);
      const path = await newDatagrid(api, [], workspace);
      await discard(api, path);
      const [restored, deleted] = await statuses(
        restore(api, path),
        api.delete(`/workspaces/${workspace}?cascade=true`),
      );
      expect([[200, 409], [204]]).toEqual([expect.arrayContaining([restored]), [deleted]]);
      expect((await api.get(path)).status).toBe(404);
      expect((await restore(api, workspace)).status).toBe(200);
      expect(await idsIn(workspace)).toEqual(restored === 200 ? [idOf(path)] : []);
    }
  });
});

describe('a datagrid that is deleted', () => {
  /** Waits until `count` sessions wait for a lock. */
  const waiting = (count: number): Promise<boolean> =>
    eventually(async () => (await waitingForLocks(app)) >= count);

  const WRITES: readonly (readonly [string, string, object | undefined])[] = [
    ['POST', '/rows', { values: { n: 50 } }],
    ['PATCH', '/rows/1', { values: { n: 60 } }],
    ['PUT', '/rows/1', { values: { n: 70 } }],
    ['DELETE', '/rows/1', undefined],
    ['POST', '/columns', { key: 'added', type: 'text' }],
    ['PATCH', '/columns/n', { title: 'Changed' }],
    ['DELETE', '/columns/n', undefined],
    ['PATCH', '', { name: 'Renamed' }],
    ['DELETE', '', undefined],
  ];

  it.each(WRITES)(
    'rejects a write that waited for the deletion: %s %s',
    async (method, rest, body) => {
      const path = await newSheet(api);
      const before = [(await api.get(path)).body, (await api.get(`${path}/rows`)).body];
      const holder = await app.sql.connect();
      const lock = 'SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE';
      await holder.query('BEGIN');
      await holder.query(lock, [idOf(path)]);
      const deleted = api.delete(path);
      await waiting(1);
      const written = api.send(method, `${path}${rest}`, body);
      await waiting(2);
      await holder.query('COMMIT');
      holder.release();
      expect(await statuses(deleted, written)).toEqual([204, 404]);
      expect((await restore(api, path)).status).toBe(200);
      // Deletion and restoration are two changes. The rejected write is none.
      before[0].data.revision = Number(before[0].data.revision) + 2;
      expect([(await api.get(path)).body, (await api.get(`${path}/rows`)).body]).toEqual(before);
    },
  );

  it('has every row that was acknowledged, and accepts none afterwards', async () => {
    const path = await newSheet(api);
    const writes = Array.from({ length: 30 }, (_, n) =>
      api.post(`${path}/rows`, { values: { n: 1_000 + n } }),
    );
    const deleted = api.delete(path);
    const more = Array.from({ length: 30 }, (_, n) =>
      api.post(`${path}/rows`, { values: { n: 2_000 + n } }),
    );
    expect((await deleted).status).toBe(204);
    const outcome = await statuses(...writes, ...more);
    expect(new Set(outcome)).toEqual(new Set([...outcome].filter((s) => s === 201 || s === 404)));
    const created = outcome.filter((status) => status === 201).length;
    expect(dataOf(await restore(api, path), 200).rowCount).toBe(4 + created);
    expect((await api.get(`${path}/rows`)).body.meta.total).toBe(4 + created);
  });
});
