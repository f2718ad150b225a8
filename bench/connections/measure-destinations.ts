import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../changes/api';
import { type Figure, watchCpu } from '../changes/figures';

const POLL_MS = 20;
const TIMEOUT_MS = 3_600_000;
const CHANGED_ROWS = 50_000;
const BATCH_ROWS = 1_000;

/** A destination to measure: properties of its connection. */
export interface MeasuredDestination {
  readonly type: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secret?: string;
}

/** Where a filled datagrid is. */
export interface Grid {
  /** Path of the workspace. */
  readonly workspace: string;
  readonly id: string;
}

interface ListedTable {
  readonly name: string;
  readonly status: string;
  readonly lagSeconds: number | null;
  readonly lastError: string | null;
}

interface Connected {
  /** Path of the connection. */
  readonly path: string;
  readonly table: string;
}

/** Creates a resource. @returns its id. */
export async function create(api: Api, path: string, body: object): Promise<string> {
  return (await api.send<{ data: { id: string } }>('POST', path, body)).data.id;
}

/** Creates a connection that copies a datagrid, and waits for the end of the load. */
export async function connectAndWait(
  api: Api,
  grid: Grid,
  destination: MeasuredDestination,
): Promise<Connected> {
  const connections = `${grid.workspace}/connections`;
  const body = { name: destination.type, ...destination, datagridIds: [grid.id] };
  const path = `${connections}/${await create(api, connections, body)}`;
  return { path, table: await inStep(api, path) };
}

/** Waits until a table has all changes. @returns its name. */
async function inStep(api: Api, path: string): Promise<string> {
  const endMs = performance.now() + TIMEOUT_MS;
  for (;;) {
    const [table] = (await api.send<{ data: ListedTable[] }>('GET', `${path}/tables`)).data;
    if (table?.status === 'synced' && table.lagSeconds === 0) return table.name;
    if (table?.status === 'failing') throw new Error(table.lastError ?? 'The sync failed.');
    if (performance.now() > endMs) throw new Error('The sync took too long.');
    await delay(POLL_MS);
  }
}

/**
 * Measures the first load of a datagrid, and the merge of changes of random rows that were made while
 * the connection was disabled.
 */
export async function measureDestination(
  api: Api,
  grid: Grid,
  rows: number,
  destination: MeasuredDestination,
): Promise<Figure[]> {
  const figure = (what: string, count: number, ms: number, clientCpu: number): Figure => ({
    measure: `${destination.type}: ${what} ${count.toLocaleString('en')} rows`,
    target: '',
    measured: `${((1_000 * count) / ms).toFixed(0)} rows/s`,
    isMet: null,
    clientCpu,
  });
  const loadCpu = watchCpu();
  const loadedMs = performance.now();
  const { path } = await connectAndWait(api, grid, destination);
  const load = figure('load of', rows, performance.now() - loadedMs, loadCpu());
  await api.send('PATCH', path, { enabled: false });
  await change(api, grid, rows);
  const mergeCpu = watchCpu();
  const mergedMs = performance.now();
  await api.send('PATCH', path, { enabled: true });
  await inStep(api, path);
  const merge = figure('merge of', CHANGED_ROWS, performance.now() - mergedMs, mergeCpu());
  await api.send('DELETE', path);
  return [load, merge];
}

/** Changes random rows. */
async function change(api: Api, { id }: Grid, rows: number): Promise<void> {
  for (let n = 0; n < CHANGED_ROWS; n += BATCH_ROWS) {
    const ids = new Set<number>();
    while (ids.size < BATCH_ROWS) ids.add(1 + Math.floor(Math.random() * rows));
    const operations = [...ids].map((row) => ({ op: 'update', id: row, values: { quantity: n } }));
    await api.send('POST', `/datagrids/${id}/rows/batch`, { mode: 'atomic', operations });
  }
}
