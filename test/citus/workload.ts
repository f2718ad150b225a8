import { ColumnTrashService } from '../../src/datagrids/column-trash/column-trash.service';
import { KeyUsageService } from '../../src/auth/key-usage/key-usage.service';
import { FileBody, type ApiClient } from '../support/api-client';
import { dataOf, newDatagrid, newTeam, newView, newWorkspace } from '../support/fixture';
import type { TestApp } from '../support/test-app';
import { verifierOf } from '../support/verify';
import { eventually } from '../support/eventually';
import { COLUMNAR_SETTINGS, useColumnarCopy } from './workload-columnar';
import { deliver, useConnection, useWebhook } from './workload-data-out';

/** Settings of the service that executes the statements. */
export const SETTINGS = {
  ...COLUMNAR_SETTINGS,
};

/** Start of the statements that the test sends itself. */
export const OWN = '/* test */';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'name', type: 'text', indexed: true },
  { key: 'price', type: 'number', indexed: true },
  { key: 'tags', type: 'multiSelect', options: { choices: ['a', 'b'] } },
  { key: 'note', type: 'text' },
];

const ndjson = (...rows: readonly object[]): FileBody =>
  new FileBody('application/x-ndjson', rows.map((row) => JSON.stringify(row)).join('\n'));

/** Uses every operation on datagrids, so that the service executes its statements. */
export async function runEverything(app: TestApp): Promise<void> {
  const { owner } = await newTeam(app);
  const { api } = owner;
  const grid = await newDatagrid(api, COLUMNS);
  // The second read of a datagrid without deletions uses a different statement.
  for (const times of [1, 2]) {
    const { headers } = await api.get(`${grid}/rows?page=${String(times)}`);
    await api.get(`${grid}/rows`, { 'if-none-match': headers.get('etag') ?? '' });
  }
  const webhook = await useWebhook(app, api, grid);
  await writeRows(api, grid);
  await deliver(app, api, webhook);
  await useConnection(app, api, grid);
  await readRows(api, grid);
  await useViews(api, grid);
  await useHistory(api);
  await useLinks(api);
  await useIndexes(app, api);
  await useColumnarCopy(app, api);
  await restoreRows(api, grid);
  await importAndExport(api, grid);
  await readChanges(api, grid);
  await readWorkspaceChanges(api, grid);
  await changeColumns(app, api, grid);
  await deleteAndRestore(app, api, grid);
  expect((await verifierOf(app).verify(false)).problems).toEqual([]);
  await app.sql.query(`${OWN} UPDATE datagrid_counters SET row_count = 0`);
  const counter = 'DELETE FROM datagrid_counters WHERE datagrid_id = $1';
  await app.sql.query(`${OWN} ${counter}`, [grid.slice('/datagrids/'.length)]);
  for (const table of ['unique_values', 'row_gaps', 'text_index_entries']) {
    await app.sql.query(`${OWN} DELETE FROM ${table}`);
  }
  const { problems } = await verifierOf(app).verify(true);
  expect(problems.length).toBeGreaterThan(1);
  expect(problems.filter(({ repaired }) => !repaired)).toEqual([]);
  app.nest.get(KeyUsageService).add(owner.keyId, 200);
}

/** Creates, reads, changes and deletes a view and its public link, and reads its rows. */
async function useViews(api: ApiClient, grid: string): Promise<void> {
  const view = await newView(api, grid, { filter: { name: { $ne: 'x' } }, sort: 'name' });
  dataOf(await api.get(`${grid}/views`), 200);
  dataOf(await api.get(`${grid}/views/${view}`), 200);
  dataOf(await api.patch(`${grid}/views/${view}`, { columns: [{ key: 'name' }] }), 200);
  dataOf(await api.get(`${grid}/rows?view=${view}`), 200);
  const link = `${grid}/views/${view}/link`;
  const { url } = dataOf(await api.post(link, {}), 201) as { url: string };
  dataOf(await api.get(link), 200);
  expect((await fetch(`${url}/rows?limit=1`)).status).toBe(200);
  expect((await api.delete(link)).status).toBe(204);
  dataOf(await api.post(link, {}), 201);
  expect((await api.delete(`${grid}/views/${view}`)).status).toBe(204);
}

/** Reads the history of rows, and restores rows and a whole write. */
async function useHistory(api: ApiClient): Promise<void> {
  const grid = await newDatagrid(api, COLUMNS);
  dataOf(await api.patch(grid, { history: true }), 200);
  const rows = [1, 2, 3].map((n) => ({ values: { sku: String(n), name: 'a' } }));
  dataOf(await api.post(`${grid}/rows`, { rows }), 201);
  const change = { op: 'update', id: 1, values: { name: 'b' } };
  const operations = [change, { op: 'delete', id: 2 }];
  dataOf(await api.post(`${grid}/rows/batch`, { mode: 'atomic', operations }), 200);
  const { revision } = dataOf(await api.get(`${grid}/rows/1`), 200);
  dataOf(await api.get(`${grid}/rows/1/history`), 200);
  dataOf(await api.post(`${grid}/rows/undo`, { revision }), 200);
  dataOf(await api.post(`${grid}/rows/1/restore`, { revision }), 200);
  expect((await api.delete(`${grid}/rows/3`)).status).toBe(204);
  dataOf(await api.post(`${grid}/rows/3/restore`, { revision: 1 }), 200);
  dataOf(await api.post(`${grid}/rows/undo`, { revision: 1, skipConflicts: true }), 200);
}

/** Builds the index of a column whose rows take more than one step, and drops it. */
async function useIndexes(app: TestApp, api: ApiClient): Promise<void> {
  const grid = await newDatagrid(api, [{ key: 'a', type: 'text' }]);
  const rows = Array.from({ length: 300 }, (_, n) => ({ values: { a: String(n) } }));
  dataOf(await api.post(`${grid}/rows`, { rows }), 201);
  for (const indexed of [true, false]) {
    dataOf(await api.patch(`${grid}/columns/a`, { indexed }), 200);
    await indexesAreBuilt(app);
    dataOf(await api.post(`${grid}/rows/query`, { filter: { a: '1' } }), 200);
  }
}

/** Links rows, and deletes linked rows by each policy, also across datagrids. */
async function useLinks(api: ApiClient): Promise<void> {
  const workspaceId = await newWorkspace(api);
  const to = (path: string, onDelete: string): object => ({
    datagridId: path.slice('/datagrids/'.length),
    onDelete,
  });
  const targets = await newDatagrid(api, [{ key: 'name', type: 'text' }], workspaceId);
  const rows = [1, 2, 3, 4, 5, 6].map((n) => ({ values: { name: String(n) } }));
  dataOf(await api.post(`${targets}/rows`, { rows }), 201);
  const columns = [
    { key: 'one', type: 'link', options: to(targets, 'cascade'), indexed: true },
    { key: 'many', type: 'multiLink', options: to(targets, 'clear') },
    { key: 'kept', type: 'link', options: to(targets, 'restrict') },
  ];
  const sources = await newDatagrid(api, columns, workspaceId);
  const self = { key: 'self', type: 'link', options: to(sources, 'clear') };
  dataOf(await api.post(`${sources}/columns`, self), 201);
  dataOf(await api.post(`${sources}/rows`, { values: { one: 1, many: [2, 3] } }), 201);
  const others = [{ values: { self: 1, many: [1] } }, { values: { kept: 3 } }];
  dataOf(await api.post(`${sources}/rows`, { rows: others }), 201);
  const operations = [{ op: 'create', values: { many: [1, 4] } }];
  dataOf(await api.post(`${sources}/rows/batch`, { mode: 'partial', operations }), 200);
  const lines = ndjson({ one: 5 }, { one: 99 }, { many: [5] });
  dataOf(await api.post(`${sources}/rows/import?onError=skip`, lines), 201);
  dataOf(await api.patch(`${sources}/rows/2`, { values: { many: [1, 4] } }), 200);
  dataOf(await api.get(`${sources}/rows?expand=many,self.one`), 200);
  const name = `${targets}/columns/name`;
  dataOf(await api.patch(name, { unique: true }), 200);
  dataOf(await api.post(`${sources}/rows/import?linkKeys=kept.name`, ndjson({ kept: '6' })), 201);
  dataOf(await api.patch(name, { unique: false }), 200);
  for (const type of ['autonumber', 'createdBy', 'updatedBy']) {
    dataOf(await api.post(`${targets}/columns`, { key: type, type }), 201);
  }
  dataOf(await api.post(`${targets}/rows`, { values: { name: '7' } }), 201);
  dataOf(await api.post(`${targets}/rows`, { rows: [{ values: {} }, { values: {} }] }), 201);
  dataOf(await api.post(`${targets}/rows/import`, ndjson({ name: '8' })), 201);
  dataOf(await api.patch(`${targets}/rows/7`, { values: { name: 'seven' } }), 200);
  dataOf(await api.put(`${targets}/rows/8`, { values: { name: 'eight' } }), 200);
  const large = { values: { name: 'x'.repeat(20_000) } };
  dataOf(await api.patch(`${targets}/rows/4`, large), 200);
  dataOf(await api.get(`${sources}/rows/2?expand=many`), 200);
  await useComputed(api, sources, targets);
  const filter = { many: { $containsAny: [4] }, self: 1 };
  dataOf(await api.post(`${sources}/rows/query`, { filter }), 200);
  const linked = { many: { $row: { name: { $in: ['2', '4'] } } } };
  dataOf(await api.post(`${sources}/rows/query`, { filter: linked }), 200);
  expect((await api.delete(`${targets}/rows/3`)).status).toBe(409);
  expect((await api.delete(`${targets}/rows/1`)).status).toBe(204);
  const deletion = { filter: { _id: { $in: [4, 5] } } };
  dataOf(await api.post(`${targets}/rows/delete`, deletion), 200);
  expect((await api.delete(targets)).status).toBe(409);
  expect((await api.delete(sources)).status).toBe(204);
  expect((await api.delete(`${targets}/rows/3`)).status).toBe(409);
  dataOf(await api.post(`/trash/${sources.slice('/datagrids/'.length)}/restore`, {}), 200);
  for (const path of [sources, targets]) expect((await api.delete(path)).status).toBe(204);
  expect((await api.delete(`/trash/${targets.slice('/datagrids/'.length)}`)).status).toBe(204);
  dataOf(await api.post(`/trash/${sources.slice('/datagrids/'.length)}/restore`, {}), 200);
}

/** Adds, reads, removes and restores computed columns of datagrids with links, also of large rows. */
async function useComputed(api: ApiClient, sources: string, targets: string): Promise<void> {
  const names = { key: 'names', type: 'lookup', options: { link: 'many', column: 'name' } };
  dataOf(await api.post(`${sources}/columns`, names), 201);
  const from = { datagridId: sources.slice('/datagrids/'.length), column: 'many' };
  const count = { key: 'sources', type: 'count', options: from };
  dataOf(await api.post(`${targets}/columns`, count), 201);
  for (const path of [sources, targets]) {
    dataOf(await api.get(`${path}/rows`), 200);
    dataOf(await api.get(`${path}/rows/2`), 200);
    dataOf(await api.get(path), 200);
  }
  dataOf(await api.get(`${sources}/rows?fields=names&filter={"_id":{"$lt":2}}`), 200);
  expect((await api.delete(`${sources}/columns/many`)).status).toBe(409);
  expect((await api.delete(`${sources}/columns/names`)).status).toBe(204);
  const [removed] = dataOf(await api.get(`${sources}/trash/columns`), 200) as unknown as {
    id: number;
  }[];
  dataOf(await api.post(`${sources}/trash/columns/restore`, { id: removed?.id }), 200);
  for (const path of [`${sources}/columns/names`, `${targets}/columns/sources`]) {
    expect((await api.delete(path)).status).toBe(204);
  }
}

async function writeRows(api: ApiClient, grid: string): Promise<void> {
  const rows = Array.from({ length: 20 }, (_, index) => ({
    values: { sku: `s${String(index)}`, name: `n${String(index % 3)}`, price: index },
  }));
  dataOf(await api.post(`${grid}/rows`, { rows }), 201);
  const one = { values: { sku: 'x', name: 'one' } };
  const headers = { 'idempotency-key': grid };
  dataOf(await api.post(`${grid}/rows`, one, headers), 201);
  dataOf(await api.post(`${grid}/rows`, one, headers), 201);
  await Promise.all(['c1', 'c2', 'c3'].map((sku) => api.post(`${grid}/rows`, { values: { sku } })));
  expect((await api.post(`${grid}/rows`, { values: { sku: 's1' } })).status).toBe(409);
  dataOf(await api.patch(`${grid}/rows/1`, { values: { price: 5 } }), 200);
  dataOf(await api.put(`${grid}/rows/2`, { values: { sku: 'put' } }), 200);
  expect((await api.delete(`${grid}/rows/3`)).status).toBe(204);
  const operations = [
    { op: 'create', values: { sku: 'b1' } },
    { op: 'update', id: 4, values: { name: 'moved' } },
    { op: 'upsert', matchOn: ['sku'], values: { sku: 's5', name: 'up' } },
    { op: 'delete', id: 6 },
  ];
  for (const mode of ['atomic', 'partial']) {
    await api.post(`${grid}/rows/batch`, { mode, operations });
  }
  const upserts = [{ values: { sku: 's7', name: 'u' } }, { values: { sku: 'new' } }];
  dataOf(await api.put(`${grid}/rows`, { matchOn: ['sku'], rows: upserts }), 200);
  for (const dryRun of [true, false]) {
    dataOf(await api.post(`${grid}/rows/delete`, { filter: { price: { $gte: 18 } }, dryRun }), 200);
  }
}

async function readRows(api: ApiClient, grid: string): Promise<void> {
  for (const query of ['', '?page=2&limit=5', '?fields=sku,name']) {
    dataOf(await api.get(`${grid}/rows${query}`), 200);
    dataOf(await api.get(`${grid}/rows${query}`), 200);
  }
  dataOf(await api.get(`${grid}/rows/1`), 200);
  const filters = [
    { name: { $eq: 'n1' } },
    { price: { $gte: 3, $lt: 9 } },
    { name: { $in: ['n1', 'n2'] } },
    { note: { $contains: 'x' } },
    { $or: [{ sku: { $eq: 's1' } }, { price: { $eq: 4 } }] },
  ];
  for (const filter of filters) {
    for (const sort of ['name', '-price', 'note']) {
      const query = { filter: JSON.stringify(filter), sort };
      await api.get(`${grid}/rows?${new URLSearchParams(query).toString()}`);
      await api.post(`${grid}/rows/query`, { filter, sort: [sort], limit: 2 });
    }
  }
  await api.get(`${grid}/rows?q=n1`);
  const aggregates = [{ function: 'countDistinct', column: 'sku' }];
  for (const filter of [{}, { price: { $gte: 3 } }]) {
    const body = { filter, aggregates, groupBy: [{ column: 'name' }], q: 'n' };
    dataOf(await api.post(`${grid}/rows/aggregate`, body), 200);
  }
  for (const query of ['sort=name', 'sort=-price', 'sort=note', 'cursor=']) {
    const first = await api.get(`${grid}/rows?limit=2&${query}`);
    const next = first.body?.meta?.nextCursor as string | undefined;
    if (next) await api.get(`${grid}/rows?limit=2&${query}&cursor=${next}`);
  }
}

/** Deletes rows, lists the trash of the datagrid, and restores them. */
async function restoreRows(api: ApiClient, grid: string): Promise<void> {
  const rows = [{ values: { note: 'kept' } }, { values: {} }];
  const created = dataOf(await api.post(`${grid}/rows`, { rows }), 201) as { id: number }[];
  const ids = created.map(({ id }) => id);
  for (const id of ids) expect((await api.delete(`${grid}/rows/${String(id)}`)).status).toBe(204);
  expect(dataOf(await api.get(`${grid}/trash/rows`), 200).length).toBeGreaterThan(1);
  dataOf(await api.post(`${grid}/trash/rows/restore`, { ids }), 200);
}

async function importAndExport(api: ApiClient, grid: string): Promise<void> {
  const lines = ndjson({ sku: 'i1' }, { sku: 'i2' });
  const imported = dataOf(await api.post(`${grid}/rows/import`, lines), 201);
  const upsert = `${grid}/rows/import?mode=upsert&matchOn=sku`;
  const again = ndjson({ sku: 'i1', name: 'again' }, { sku: 'i3' });
  dataOf(await api.post(upsert, again, { 'idempotency-key': 'i' }), 201);
  await api.post(upsert, again, { 'idempotency-key': 'i' });
  const csv = new FileBody('text/csv', 'sku,fresh\nf1,1\nf2,2\n');
  await api.post(`${grid}/rows/import?createColumns=true`, csv);
  dataOf(await api.get(`${grid}/imports`), 200);
  dataOf(await api.get(`${grid}/imports/${String(imported.id)}`), 200);
  expect((await api.delete(`${grid}/imports/${String(imported.id)}`)).status).toBe(409);
  for (const query of [
    '?format=csv',
    '?format=ndjson&sort=name',
    '?format=ndjson&filter={"price":{"$gt":1}}',
  ]) {
    expect((await api.get(`${grid}/rows/export${query}`)).status).toBe(200);
  }
}

/** Reads rows and changes, and waits until the service has looked for changes of other instances. */
async function readChanges(api: ApiClient, grid: string): Promise<void> {
  const first = await api.get(`${grid}/changes?limit=2`);
  expect(first.status).toBe(200);
  const latest = await api.get(`${grid}/changes?cursor=latest`);
  const cursor = String(latest.body.meta.nextCursor);
  dataOf(await api.post(`${grid}/rows`, { rows: [{ values: {} }, { values: {} }] }), 201);
  const changes = await api.get(`${grid}/changes?cursor=${cursor}`);
  expect(changes.body.data).toHaveLength(2);
  const next = String(changes.body.meta.nextCursor);
  expect((await api.get(`${grid}/changes?cursor=${next}&wait=2`)).status).toBe(200);
}

/** Waits for a workspace while one of its datagrids, and then nothing, changes. */
async function readWorkspaceChanges(api: ApiClient, grid: string): Promise<void> {
  const { workspaceId } = dataOf(await api.get(grid), 200);
  const path = `/workspaces/${String(workspaceId)}/changes`;
  const { meta } = (await api.get(path)).body;
  const waiting = api.get(`${path}?cursor=${String(meta.nextCursor)}&wait=30`);
  dataOf(await api.post(`${grid}/rows`, { rows: [{ values: {} }] }), 201);
  const { body } = await waiting;
  expect(body.data).toHaveLength(1);
  // Until the service has looked for changes of other instances.
  const next = String(body.meta.nextCursor);
  expect((await api.get(`${path}?cursor=${next}&wait=3`)).status).toBe(200);
}

async function changeColumns(app: TestApp, api: ApiClient, grid: string): Promise<void> {
  dataOf(await api.post(`${grid}/columns`, { key: 'late', type: 'integer', indexed: true }), 201);
  dataOf(await api.patch(`${grid}/columns/note`, { indexed: true }), 200);
  await indexesAreBuilt(app);
  dataOf(await api.patch(`${grid}/columns/note`, { title: 'Note', indexed: false }), 200);
  expect((await api.patch(`${grid}/columns/price`, { type: 'text' })).status).toBe(409);
  dataOf(await api.get(`${grid}/columns/price`), 200);
  dataOf(await api.patch(`${grid}/columns/late`, { type: 'number', position: 0 }), 200);
  dataOf(await api.patch(`${grid}/columns/price`, { type: 'text', convert: true }), 200);
  dataOf(await api.patch(`${grid}/columns/price`, { type: 'decimal', convert: true }), 200);
  dataOf(await api.patch(`${grid}/columns/sku`, { unique: false }), 200);
  await indexesAreBuilt(app);
  dataOf(await api.patch(`${grid}/columns/sku`, { unique: true }), 200);
  await api.patch(`${grid}/columns/name`, { required: true });
  expect((await api.delete(`${grid}/columns/tags`)).status).toBe(204);
  await indexesAreBuilt(app);
  expect((await api.delete(`${grid}/columns/late`)).status).toBe(204);
  const [{ id }] = dataOf(await api.get(`${grid}/trash/columns`), 200) as [{ id: number }];
  dataOf(await api.post(`${grid}/trash/columns/restore`, { id }), 200);
  dataOf(await api.get(`${grid}/columns/late`), 200);
  const expire =
    "UPDATE datagrid_columns SET removed_at = now() - interval '1 year' WHERE in_trash";
  await app.sql.query(`${OWN} ${expire}`);
  await app.nest.get(ColumnTrashService, { strict: false }).runOnce();
  await indexesAreBuilt(app);
}

/** Waits until indexes are built, and entries that columns no longer need are deleted. */
async function indexesAreBuilt(app: TestApp): Promise<void> {
  await eventually(async () => {
    const { rowCount } = await app.sql.query(
      `${OWN} SELECT FROM datagrid_columns WHERE indexed_to >= 0 OR entries_left_at IS NOT NULL
         OR claims_left_at IS NOT NULL`,
    );
    return rowCount === 0;
  }, 60_000);
}

async function deleteAndRestore(app: TestApp, api: ApiClient, grid: string): Promise<void> {
  const workspace = await newWorkspace(api);
  const doomed = await newDatagrid(api, COLUMNS, workspace);
  await writeRows(api, doomed);
  dataOf(await api.get('/workspaces'), 200);
  dataOf(await api.get(`/workspaces/${workspace}/datagrids`), 200);
  dataOf(await api.get(grid), 200);
  dataOf(await api.patch(grid, { name: 'Renamed' }), 200);
  for (const path of [doomed, `/workspaces/${workspace}?cascade=true`]) {
    expect((await api.delete(path)).status).toBe(204);
    const [item] = dataOf(await api.get('/trash'), 200);
    dataOf(await api.post(`/trash/${String(item.id)}/restore`), 200);
  }
  expect((await api.delete(doomed)).status).toBe(204);
  const [item] = dataOf(await api.get('/trash'), 200);
  expect((await api.delete(`/trash/${String(item.id)}`)).status).toBe(204);
  await eventually(async () => {
    const { rowCount } = await app.sql.query(`${OWN} SELECT FROM datagrid_purges`);
    return rowCount === 0;
  }, 60_000);
}
