import type { ApiClient } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, newWorkspace, NO_ID, type Team } from '../../support/fixture';
import { bodyFor, pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';
import { discard, idOf, newNamed, newSheet, restore, visible } from './trashed';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

afterAll(() => app.close());

type Call = readonly [method: string, path: string, body?: object | undefined];

/** Returns calls of every route with this parameter in its path. */
const routeCalls = (parameter: string, values: Readonly<Record<string, string>>): Call[] =>
  routesOf(app)
    .filter(({ path }) => path.split('/').includes(`:${parameter}`))
    .map((route) => [route.method, pathOf(route, values), bodyFor(route)]);

/** Returns calls of every route below a datagrid, with variants that write or read in another way. */
const datagridCalls = (path: string): Call[] => [
  ...routeCalls('datagridId', {
    datagridId: idOf(path),
    key: 'n',
    rowId: '1',
    importId: NO_ID,
    viewId: NO_ID,
    workspaceId: NO_ID,
    connectionId: NO_ID,
    scheduledImportId: NO_ID,
  }),
  ['PATCH', path, { name: 'Renamed' }],
  ['GET', `${path}/rows?page=2&limit=2`],
  ['GET', `${path}/rows?filter={"n":1}&sort=-n`],
  ['GET', `${path}/rows?cursor=`],
  ['POST', `${path}/rows/query`, { filter: { n: 1 } }],
  ['POST', `${path}/rows`, { values: { n: 50 } }],
  ['POST', `${path}/rows`, { rows: [{ values: { n: 51 } }] }],
  ['POST', `${path}/rows/batch`, { mode: 'atomic', operations: [{ op: 'delete', id: 1 }] }],
  ['POST', `${path}/rows/batch`, { mode: 'partial', operations: [{ op: 'delete', id: 1 }] }],
  ['POST', `${path}/rows/delete`, { filter: {} }],
  ['POST', `${path}/rows/delete`, { filter: { n: 1 } }],
  ['PUT', `${path}/rows`, { matchOn: ['n'], rows: [{ values: { n: 1, note: 'changed' } }] }],
  ['PATCH', `${path}/rows/1`, { values: { n: 60 } }],
  ['PUT', `${path}/rows/1`, { values: { n: 70 } }],
];

const workspaceCalls = (path: string): Call[] => [
  ...routeCalls('workspaceId', {
    workspaceId: idOf(path),
    queryId: NO_ID,
    webhookId: NO_ID,
    connectionId: NO_ID,
    scheduledImportId: NO_ID,
    datagridId: NO_ID,
  }),
  ['PATCH', path, { name: 'Renamed' }],
  ['DELETE', `${path}?cascade=true`],
];

/** Responses for random ids, by their calls. */
const forRandomIds = new Map<string, object>();

async function responseForRandomId(api: ApiClient, [method, url, body]: Call): Promise<object> {
  const call = JSON.stringify([method, url, body]);
  const response = forRandomIds.get(call) ?? visible(await api.send(method, url, body));
  forRandomIds.set(call, response);
  return response;
}

/** Expects for every call the same response as for a random id. */
async function expectNothing(
  api: ApiClient,
  path: string,
  callsOf: (path: string) => Call[],
): Promise<void> {
  const random = callsOf(path.replace(idOf(path), NO_ID));
  expect(random.length).toBeGreaterThan(5);
  for (const [index, [method, url, body]] of callsOf(path).entries()) {
    const response = await api.send(method, url, body);
    expectFailure(response, 'not_found');
    const [, nowhere = ''] = random[index] ?? [];
    expect([method, url, visible(response)]).toEqual([
      method,
      url,
      await responseForRandomId(api, [method, nowhere, body]),
    ]);
  }
}

describe('a resource in the trash', () => {
  it('returns 404 on every other route if it is a datagrid, and is restored unchanged', async () => {
    const { api } = team.owner;
    const path = await newSheet(api);
    const rows = (await api.get(`${path}/rows`)).body;
    const before = (await api.get(path)).body.data;
    await discard(api, path);
    await expectNothing(api, path, datagridCalls);
    const revision = Number(before.revision) + 2;
    expect(dataOf(await restore(api, path), 200)).toEqual({ ...before, revision });
    expect((await api.get(`${path}/rows`)).body).toEqual(rows);
  });

  it('returns 404 on every other route if it is a datagrid from which no row was deleted', async () => {
    const { api } = team.owner;
    const workspace = await newWorkspace(api);
    const list = `/workspaces/${workspace}/datagrids`;
    const columns = [{ key: 'n', type: 'integer', unique: true }];
    const path = `/datagrids/${dataOf(await api.post(list, { name: 'Even', columns }), 201).id}`;
    await api.post(`${path}/rows`, { values: { n: 1 } });
    expect((await api.get(`${path}/rows`)).status).toBe(200);
    await discard(api, path);
    await expectNothing(api, path, datagridCalls);
  });

  it('returns 404 if it is a datagrid that is requested with If-None-Match: *', async () => {
    const { api } = team.owner;
    const path = await newSheet(api);
    await discard(api, path);
    for (const url of [path, `${path}/rows`, `${path}/rows?cursor=`, `${path}/rows/1`]) {
      expectFailure(await api.get(url, { 'if-none-match': '*' }), 'not_found');
    }
  });

  it('returns 404 on every other route if it is a workspace, as do its datagrids', async () => {
    const { api } = team.owner;
    const { path } = await newNamed(api);
    const sheet = await newSheet(api, idOf(path));
    await discard(api, `${path}?cascade=true`);
    await expectNothing(api, path, workspaceCalls);
    await expectNothing(api, sheet, datagridCalls);
  });

  it('is neither listed nor counted', async () => {
    const { owner } = await newTeam(app);
    const [remaining, gone] = [await newWorkspace(owner.api), await newWorkspace(owner.api)];
    const [living, dead] = [
      await newSheet(owner.api, remaining),
      await newSheet(owner.api, remaining),
    ];
    await discard(owner.api, dead);
    await discard(owner.api, `/workspaces/${gone}`);
    for (const [path, id] of [
      ['/workspaces', remaining],
      [`/workspaces/${remaining}/datagrids`, idOf(living)],
    ] as const) {
      const { data, meta } = (await owner.api.get(path)).body;
      expect((data as { id: string }[]).map((item) => item.id)).toEqual([id]);
      expect(meta.total).toBe(1);
    }
  });

  it('does not reserve its name for new or renamed resources', async () => {
    const { api } = team.owner;
    const { path, name } = await newNamed(api);
    await discard(api, path);
    expect((await api.post('/workspaces', { name })).status).toBe(201);
    const list = `/workspaces/${await newWorkspace(api)}/datagrids`;
    const first = dataOf(await api.post(list, { name: 'Name' }), 201);
    const second = dataOf(await api.post(list, { name: 'Second' }), 201);
    await discard(api, `/datagrids/${first.id}`);
    expect((await api.patch(`/datagrids/${second.id}`, { name: 'name' })).status).toBe(200);
    const taken = await api.post(list, { name: 'NAME' });
    expectFailure(taken, 'conflict', ['name duplicate']);
  });
});
