import { LiveReaders } from '../../../src/changes/live-readers';
import { WorkspacePoll } from '../../../src/changes/workspace/workspace-poll';
import { API, type ApiResponse, type Json } from '../../support/api-client';
import { EventStream } from '../../support/event-stream';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newDatagrid,
  newTeam,
  newWorkspace,
  RFC3339,
  type Team,
} from '../../support/fixture';
import { TestApp } from '../../support/test-app';
import { WorkspaceCopy } from '../../support/workspace-copy';

const COLUMNS = [{ key: 'n', type: 'integer' }];

let app: TestApp;
let other: TestApp;
let team: Team;
let workspace: string;

beforeAll(async () => {
  app = await TestApp.shared();
  other = await TestApp.start({ database: app.database, settings: { MAX_LIVE_READERS: '2' } });
  team = await newTeam(app);
});

beforeEach(async () => {
  workspace = await newWorkspace(team.owner.api);
});

afterAll(async () => {
  await other.close();
  await app.close();
});

const idOf = (path: string): string => path.split('/')[2] ?? '';
const create = async (): Promise<string> => newDatagrid(team.owner.api, COLUMNS, workspace);
const createMany = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, create));
const write = async (datagrid: string, place = app): Promise<Json> =>
  dataOf(await place.api(team.editor.key).post(`${datagrid}/rows`, { values: { n: 1 } }), 201);
const get = (query = '', place = app): Promise<ApiResponse> =>
  place.api(team.viewer.key).get(`/workspaces/${workspace}/changes?${query}`);
const latest = async (): Promise<string> => (await get('cursor=latest')).body.meta.nextCursor;
const waiting = (): Promise<true> =>
  eventually(() => app.nest.get(LiveReaders, { strict: false }).count === 1);
/** Looks for changes now, and not within the next second. */
const poll = (): Promise<number> => app.nest.get(WorkspacePoll, { strict: false }).poll();
const purge = async (id: string): Promise<void> => {
  await team.owner.api.delete(`/datagrids/${id}`);
  expect((await team.owner.api.delete(`/trash/${id}`)).status).toBe(204);
};
const setCounter = (path: string, assignment: string): Promise<unknown> =>
  app.sql.query(`UPDATE datagrid_counters SET ${assignment} WHERE datagrid_id = $1`, [idOf(path)]);
const idsOf = ({ body }: ApiResponse): string[] =>
  (body.data as Json[]).map((item) => item.id ?? item.datagrid.id);

describe('GET /workspaces/{workspaceId}/changes', () => {
  it('lists all datagrids first, and then those that changed', async () => {
    const datagrid = await create();
    await write(datagrid);
    const { body } = await get();
    const shown = {
      id: idOf(datagrid),
      name: expect.any(String),
      rowCount: 1,
      revision: 1,
      createdAt: expect.stringMatching(RFC3339),
      updatedAt: expect.stringMatching(RFC3339),
    };
    const nextCursor = expect.stringMatching(/^[\w-]+$/);
    expect(body).toEqual({
      data: [{ op: 'set', datagrid: shown }],
      meta: { pageSize: 1, nextCursor, upToDate: true, hasMore: false, total: 1 },
    });
    const second = await create();
    const changed = idsOf(await get(`cursor=${body.meta.nextCursor as string}`));
    // The first one is also listed if a hash puts both into one bucket.
    expect(changed).toContain(idOf(second));
  });

  it('returns the same cursor and no datagrid if nothing changed', async () => {
    await create();
    const nextCursor = await latest();
    const { body } = await get(`cursor=${nextCursor}`);
    expect(body).toEqual({
      data: [],
      meta: { pageSize: 0, nextCursor, upToDate: true, hasMore: false, total: 1 },
    });
  });

  it.each([
    ['a row is written', (path: string) => write(path)],
    [
      'a column is added',
      (path: string) => team.owner.api.post(`${path}/columns`, { key: 'm', type: 'text' }),
    ],
    ['the datagrid is renamed', (path: string) => team.owner.api.patch(path, { name: 'Renamed' })],
    [
      'the datagrid is restored',
      async (path: string) => {
        await team.owner.api.delete(path);
        return team.owner.api.post(`/trash/${idOf(path)}/restore`);
      },
    ],
    [
      'it is written again within the same millisecond',
      (path: string) => setCounter(path, 'revision = revision + 1'),
    ],
    [
      'a restored backup has another write at its revision',
      (path: string) => setCounter(path, "last_written_at = '2026-01-01T00:00:00Z'"),
    ],
  ])('lists a datagrid if %s', async (_, change: (path: string) => Promise<unknown>) => {
    const datagrid = await create();
    const cursor = await latest();
    await change(datagrid);
    expect(idsOf(await get(`cursor=${cursor}`))).toEqual([idOf(datagrid)]);
  });

  it('names a datagrid in the trash, and counts the others', async () => {
    const [kept, deleted] = await createMany(2);
    const cursor = await latest();
    await team.owner.api.delete(deleted ?? '');
    const { body } = await get(`cursor=${cursor}`);
    const named = (body.data as Json[]).filter(({ op }) => op === 'delete');
    expect(named).toEqual([{ op: 'delete', id: idOf(deleted ?? '') }]);
    expect(body.meta.total).toBe(1);
    expect(idsOf(await get())).toEqual([idOf(kept ?? '')]);
  });

  it('counts the datagrids, so that a reader notices one that was purged before it read', async () => {
    const [, purged] = await createMany(2);
    const copy = new WorkspaceCopy();
    await copy.catchUp(get);
    await purge(idOf(purged ?? ''));
    const { startedOver } = copy;
    await copy.catchUp(get);
    expect(copy.ids).toHaveLength(1);
    expect(copy.startedOver).toBe(startedOver + 1);
  });

  it('pages through all datagrids, and lists those that change meanwhile', async () => {
    const created = await createMany(40);
    const copy = new WorkspaceCopy();
    for (let page = 0; page < 12; page += 1) {
      await copy.apply(await get(`limit=3&cursor=${copy.cursor ?? ''}`));
      // Datagrids on earlier and on later pages, in all buckets.
      await write(created[(page * 7) % 40] ?? '');
      const deleted = [39, 38, 36][page / 4];
      if (deleted !== undefined) await team.owner.api.delete(created[deleted] ?? '');
    }
    await copy.catchUp((query) => get(`limit=3&${query}`));
    const { body } = await team.owner.api.get(`/workspaces/${workspace}/datagrids?limit=200`);
    const revisions = (body.data as Json[]).map(({ id, revision }) => [id, revision]);
    expect([...copy.revisions].sort()).toEqual(revisions.sort());
  });

  it('lists a datagrid again that changes while the others of its bucket are read', async () => {
    // A reader that begins with an empty workspace has few buckets, so each has several datagrids.
    const copy = new WorkspaceCopy();
    await copy.apply(await get());
    await createMany(60);
    let written = '';
    await copy.catchUp(
      (query) => get(`limit=1&${query}`),
      async (id) => {
        if (written !== '') return;
        written = id;
        await write(`/datagrids/${id}`);
      },
    );
    expect(copy.ids).toHaveLength(60);
    expect(copy.revisions.get(written)).toBe(1);
  });

  it('reaches every datagrid even if those before it change all the time', async () => {
    const created = await createMany(20);
    const seen = new Set<string>();
    let cursor = '';
    for (let page = 0; page < 60 && seen.size < 20; page += 1) {
      const response = await get(`limit=1&cursor=${cursor}`);
      for (const id of idsOf(response)) seen.add(id);
      cursor = response.body.meta.nextCursor;
      for (const id of [...seen].slice(0, 3)) await write(`/datagrids/${id}`);
    }
    expect(seen.size).toBe(created.length);
  });

  it('lists few others beside a datagrid of many, whatever the number when the reader began', async () => {
    await create();
    let cursor = await latest();
    const created = await createMany(64);
    ({ nextCursor: cursor } = (await get(`limit=1000&cursor=${cursor}`)).body.meta);
    await write(created[5] ?? '');
    const ids = idsOf(await get(`cursor=${cursor}`));
    expect(ids).toContain(idOf(created[5] ?? ''));
    expect(ids.length).toBeLessThan(8);
  });

  it('continues from a cursor on another instance', async () => {
    const [datagrid] = await createMany(3);
    const cursor = await latest();
    await write(datagrid ?? '');
    expect(idsOf(await get(`cursor=${cursor}`, other))).toContain(idOf(datagrid ?? ''));
  });

  it('returns a stream of lines to the end', async () => {
    const created = await createMany(3);
    const { text } = await team.viewer.api.get(`/workspaces/${workspace}/changes`, {
      accept: 'application/x-ndjson',
    });
    const lines = text
      .trim()
      .split('\n')
      .map((line): Json => JSON.parse(line));
    const end = lines.pop();
    expect(lines.map(({ datagrid }) => datagrid.id as string).sort()).toEqual(
      created.map(idOf).sort(),
    );
    expect(end).toEqual({ op: 'cursor', cursor: expect.any(String), upToDate: true, total: 3 });
  });

  it('returns 404 for a workspace in the trash, and of another account', async () => {
    expectFailure(
      await (await app.newAccount()).api.get(`/workspaces/${workspace}/changes`),
      'not_found',
    );
    await team.owner.api.delete(`/workspaces/${workspace}`);
    expectFailure(await get(), 'not_found');
  });

  it.each(['x', 'AQ', 'MTo5YTA3YmVkZDA5NTQ6YzoxOjIx'])('rejects the cursor %s', async (cursor) => {
    expectFailure(await get(`cursor=${cursor}`), 'invalid_request', ['cursor invalid_format']);
  });

  it('rejects a cursor of another workspace', async () => {
    const cursor = await latest();
    workspace = await newWorkspace(team.owner.api);
    const response = await get(`cursor=${cursor}`);
    expectFailure(response, 'invalid_request', ['cursor cursor_mismatch']);
    expect(response.body.error.details).toEqual([
      { field: 'cursor', code: 'cursor_mismatch', message: 'was issued for another workspace' },
    ]);
  });
});

describe('GET /workspaces/{workspaceId}/changes with wait', () => {
  it.each([
    ['this', () => app],
    ['another', () => other],
  ])('returns a write that %s instance commits', async (_, place) => {
    const datagrid = await create();
    const response = get(`cursor=${await latest()}&wait=30`);
    await waiting();
    await write(datagrid, place());
    expect(idsOf(await response)).toEqual([idOf(datagrid)]);
  });

  it('returns a new datagrid', async () => {
    const response = get(`cursor=${await latest()}&wait=30`);
    await waiting();
    const datagrid = await create();
    await poll();
    expect(idsOf(await response)).toEqual([idOf(datagrid)]);
  });

  it('returns 404 if the workspace is deleted', async () => {
    const response = get(`cursor=${await latest()}&wait=30`);
    await waiting();
    await team.owner.api.delete(`/workspaces/${workspace}`);
    await poll();
    expectFailure(await response, 'not_found');
  });

  it('returns 401 if the key is revoked', async () => {
    const datagrid = await create();
    await eventually(async () => {
      const { api, keyId } = await app.newUser(team.owner.accountId, 'viewer');
      const path = `/workspaces/${workspace}/changes?cursor=${await latest()}&wait=30`;
      const response = api.get(path);
      await waiting();
      await app.sql.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [keyId]);
      await write(datagrid);
      // A late signal of an earlier change can have had the key checked just before.
      if ((await response).status === 200) return undefined;
      expectFailure(await response, 'unauthenticated');
      return true;
    });
  });

  it('counts as a reader that waits, with the same limit as those of datagrids', async () => {
    const datagrid = await create();
    const path = `/workspaces/${workspace}/changes?cursor=${await latest()}&wait=30`;
    const first = other.api(team.viewer.key).get(path);
    await eventually(() => other.nest.get(LiveReaders, { strict: false }).count === 1);
    const second = await other.api(team.viewer.key).get(`${datagrid}/changes?wait=30`);
    expectFailure(second, 'rate_limited');
    await write(datagrid, other);
    expect((await first).status).toBe(200);
  });

  it('streams events, and resumes with Last-Event-ID', async () => {
    const datagrid = await create();
    const open = (headers = {}): EventStream =>
      new EventStream(`${app.origin}${API}/workspaces/${workspace}/changes`, {
        authorization: `Bearer ${team.viewer.key}`,
        ...headers,
      });
    const stream = open();
    expect((await stream.next()).data.meta).toMatchObject({ upToDate: true, total: 1 });
    await write(datagrid);
    const event = await stream.next();
    expect(event.data.data).toEqual([
      { op: 'set', datagrid: expect.objectContaining({ id: idOf(datagrid), revision: 1 }) },
    ]);
    stream.close();
    await write(datagrid);
    const resumed = open({ 'last-event-id': event.id });
    expect((await resumed.next()).data.data).toEqual([
      { op: 'set', datagrid: expect.objectContaining({ id: idOf(datagrid), revision: 2 }) },
    ]);
    resumed.close();
  });
});
