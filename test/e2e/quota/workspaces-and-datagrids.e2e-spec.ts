import type { ApiClient } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, freshName, newDatagrid, newWorkspace } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const QUOTAS = { QUOTA_WORKSPACES: '3', QUOTA_DATAGRIDS: '4' };

let app: TestApp;
let replica: TestApp;
let owner: Member;
let api: ApiClient;

beforeAll(async () => {
  app = await TestApp.start({ settings: QUOTAS });
  replica = await TestApp.start({ settings: QUOTAS, database: app.database });
});

afterAll(async () => {
  await replica.close();
  await app.close();
});

beforeEach(async () => {
  owner = await app.newAccount();
  ({ api } = owner);
});

const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const restore = (id: string): ReturnType<ApiClient['post']> => api.post(`/trash/${id}/restore`);

const totalOf = async (path: string): Promise<number> => (await api.get(path)).body.meta.total;

/** Sends `count` requests at once, alternating between two instances. */
const atOnce = async (count: number, path: string): Promise<number[]> => {
  const other = replica.api(owner.key);
  const calls = Array.from({ length: count }, (_, n) =>
    (n % 2 === 0 ? api : other).post(path, { name: freshName() }),
  );
  return (await Promise.all(calls)).map(({ status }) => status);
};

const statuses = (good: number, bad: number): number[] => [
  ...(Array(good).fill(201) as number[]),
  ...(Array(bad).fill(403) as number[]),
];

describe('a quota of workspaces', () => {
  it('is exact for concurrent creates on two instances', async () => {
    expect((await atOnce(8, '/workspaces')).sort()).toEqual(statuses(3, 5));
    expect(await totalOf('/workspaces')).toBe(3);
    const { body } = await api.post('/workspaces', { name: freshName() });
    expect(body.error.message).toBe('Quota exceeded: this account may have at most 3 workspaces.');
  });

  it('does not count the trash, but applies to a restore', async () => {
    const [first] = [await newWorkspace(api), await newWorkspace(api), await newWorkspace(api)];
    expect((await api.delete(`/workspaces/${first}`)).status).toBe(204);
    const another = await newWorkspace(api);
    expectFailure(await restore(first), 'quota_exceeded');
    expect(await totalOf('/workspaces')).toBe(3);
    expect((await api.delete(`/workspaces/${another}`)).status).toBe(204);
    dataOf(await restore(first), 200);
  });

  it('applies to each account separately, and allows changes', async () => {
    const ids = [await newWorkspace(api), await newWorkspace(api), await newWorkspace(api)];
    await newWorkspace((await app.newAccount()).api);
    dataOf(await api.patch(`/workspaces/${ids[0] ?? ''}`, { name: freshName() }), 200);
  });

  it('returns a 403 that is not stored for an Idempotency-Key', async () => {
    const ids = [await newWorkspace(api), await newWorkspace(api), await newWorkspace(api)];
    const send = (): ReturnType<ApiClient['post']> =>
      api.post('/workspaces', { name: 'Beyond' }, { 'idempotency-key': 'beyond' });
    expectFailure(await send(), 'quota_exceeded');
    expectFailure(await send(), 'quota_exceeded');
    expect((await api.delete(`/workspaces/${ids[0] ?? ''}`)).status).toBe(204);
    const made = dataOf(await send(), 201);
    expect(dataOf(await send(), 201)).toEqual(made);
    expect(await totalOf('/workspaces')).toBe(3);
  });
});

describe('a quota of datagrids', () => {
  it('is exact for concurrent creates on two instances and in two workspaces', async () => {
    const [first, second] = [await newWorkspace(api), await newWorkspace(api)];
    const made = await Promise.all([
      atOnce(5, `/workspaces/${first}/datagrids`),
      atOnce(5, `/workspaces/${second}/datagrids`),
    ]);
    expect(made.flat().sort()).toEqual(statuses(4, 6));
    const totals = [
      await totalOf(`/workspaces/${first}/datagrids`),
      await totalOf(`/workspaces/${second}/datagrids`),
    ];
    expect(totals.reduce((sum, total) => sum + total)).toBe(4);
  });

  it('applies to a restore of a datagrid, alone or with its workspace', async () => {
    const [workspace, other] = [await newWorkspace(api), await newWorkspace(api)];
    await newDatagrid(api, [], workspace);
    await newDatagrid(api, [], workspace);
    const single = await newDatagrid(api, [], other);
    expect((await api.delete(single)).status).toBe(204);
    expect((await api.delete(`/workspaces/${workspace}?cascade=true`)).status).toBe(204);
    for (let each = 0; each < 3; each += 1) await newDatagrid(api, [], other);
    expectFailure(await restore(workspace), 'quota_exceeded');
    expect(await totalOf('/workspaces')).toBe(1);
    dataOf(await restore(idOf(single)), 200);
    await newWorkspace(api);
    expect((await api.delete(single)).status).toBe(204);
    const last = await newDatagrid(api, [], other);
    expectFailure(await restore(idOf(single)), 'quota_exceeded');
    for (const grid of [last, (await api.get(`/workspaces/${other}/datagrids`)).body.data[0]]) {
      const path = typeof grid === 'string' ? grid : `/datagrids/${String(grid.id)}`;
      expect((await api.delete(path)).status).toBe(204);
    }
    dataOf(await restore(workspace), 200);
    expect(await totalOf(`/workspaces/${workspace}/datagrids`)).toBe(2);
  });
});
