import { kill } from 'node:process';
import type { ColumnarProcess } from '../../../src/columnar/columnar-database';
import { AppConfig } from '../../../src/platform/config/app-config';
import { SqlRunnerService } from '../../../src/sql/sql-runner.service';
import { API, type ApiClient } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import {
  dataOf,
  newDatagrid,
  newTeam,
  newWorkspace,
  NO_ID,
  type Team,
} from '../../support/fixture';
import { recordSqlProcesses } from '../../support/sql-processes';
import { TestApp } from '../../support/test-app';

const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'n', type: 'integer' },
];
const ROWS = Array.from({ length: 500 }, (_, n) => ({ values: { name: `Row ${String(n)}`, n } }));
/** It would run for hours. */
const ENDLESS = 'SELECT sum(a.i * b.i) FROM range(10000000) a(i), range(10000000) b(i)';

let app: TestApp;
let team: Team;
let processes: readonly ColumnarProcess[];

beforeAll(async () => {
  app = await TestApp.shared();
  team = await newTeam(app);
});

/** Settings before a test, which may change those of statements. */
let settings: object;

beforeEach(() => {
  processes = recordSqlProcesses(app);
  settings = { ...app.nest.get(AppConfig) };
});

afterEach(() => {
  jest.restoreAllMocks();
  Object.assign(app.nest.get(AppConfig), settings);
});

afterAll(() => app.close());

interface Place {
  readonly workspaceId: string;
  readonly path: string;
  /** Paths of two datagrids, whose tables are `first` and `second`. */
  readonly grids: readonly [string, string];
}

async function place(api: ApiClient = team.owner.api): Promise<Place> {
  const workspaceId = await newWorkspace(api);
  const first = await newDatagrid(api, COLUMNS, workspaceId, 'First');
  const second = await newDatagrid(api, COLUMNS, workspaceId, 'Second');
  for (const grid of [first, second]) dataOf(await api.post(`${grid}/rows`, { rows: ROWS }), 201);
  return { workspaceId, path: `/workspaces/${workspaceId}/sql`, grids: [first, second] };
}

describe('a key that is limited to datagrids', () => {
  it('can read these, and no others, not even by name', async () => {
    const { path, grids } = await place();
    const console = await app.console(team.owner);
    const datagridIds = [grids[1].split('/').at(-1)];
    const { key } = dataOf(await console.post('/keys', { name: 'Limited', datagridIds }), 201);
    const limited = app.api(key);

    expect(dataOf(await limited.get(`${path}/tables`), 200)).toMatchObject([{ name: 'second' }]);
    expect(
      dataOf(await limited.post(path, { sql: 'SELECT sum(n) AS n FROM second' }), 200),
    ).toEqual([{ n: 124_750 }]);
    const hidden = await limited.post(path, { sql: 'FROM first' });
    const unknown = await limited.post(path, { sql: 'FROM other' });
    expectFailure(hidden, 'invalid_request', ['sql unknown_datagrid']);
    const told = String(hidden.body.error.message).replace('first', 'other');
    expect(told).toBe(unknown.body.error.message);
    expect(told).not.toContain('first');
    // Its process has the one datagrid only.
    const [process] = processes;
    const session = process?.connect();
    const tables = await session?.select(
      'SELECT table_name FROM duckdb_tables() WHERE NOT temporary',
    );
    expect(tables).toHaveLength(1);
    session?.close();
  });

  it('finds no workspace without one of these', async () => {
    const [{ grids }, other] = [await place(), await place()];
    const console = await app.console(team.owner);
    const datagridIds = [grids[0].split('/').at(-1)];
    const { key } = dataOf(await console.post('/keys', { name: 'Limited', datagridIds }), 201);
    for (const path of [other.path, `/workspaces/${NO_ID}/sql`]) {
      expectFailure(await app.api(key).post(path, { sql: 'SELECT 1' }), 'not_found');
      expectFailure(await app.api(key).get(`${path}/tables`), 'not_found');
    }
  });
});

it('another account finds no workspace, and has a process of its own', async () => {
  const { path } = await place();
  const stranger = await newTeam(app);
  expectFailure(await stranger.owner.api.post(path, { sql: 'FROM first' }), 'not_found');
  const own = await place(stranger.owner.api);
  dataOf(await team.owner.api.post(path, { sql: 'FROM first' }), 200);
  dataOf(await stranger.owner.api.post(own.path, { sql: 'FROM first' }), 200);
  expect(new Set(processes.map(({ pid }) => pid)).size).toBe(2);
});

describe('a statement', () => {
  it('is interrupted at its timeout, and others run on', async () => {
    const { path } = await place();
    const { api } = team.owner;
    Object.assign(app.nest.get(AppConfig), { queryTimeoutMs: 500 });
    const late = api.post(path, { sql: ENDLESS });
    expect(dataOf(await api.post(path, { sql: 'SELECT count(*) AS n FROM first' }), 200)).toEqual([
      { n: 500 },
    ]);
    expectFailure(await late, 'query_too_expensive');
    expect(processes).toHaveLength(1);
    expect(processes[0]?.signal.aborted).toBe(false);
  });

  it('ends when its client disconnects', async () => {
    const { path } = await place();
    Object.assign(app.nest.get(AppConfig), { queryTimeoutMs: 60_000 });
    const { permits } = app.nest.get(SqlRunnerService, { strict: false });
    const controller = new AbortController();
    const asked = fetch(`${app.origin}${API}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${team.owner.key}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ sql: ENDLESS }),
      signal: controller.signal,
    });
    await eventually(() => permits.state.held === 1);
    controller.abort();
    await expect(asked).rejects.toThrow();
    await eventually(() => permits.state.held === 0);
  });

  it('that does not react to an interrupt ends with its process', async () => {
    const { path } = await place();
    const { api } = team.owner;
    Object.assign(app.nest.get(AppConfig), { queryTimeoutMs: 200 });
    const sql = "SELECT levenshtein(repeat('ab', 60000), repeat('ba', 60000)) AS n";
    expectFailure(await api.post(path, { sql }), 'query_too_expensive');
    expect(dataOf(await api.post(path, { sql: 'SELECT max(n) AS n FROM first' }), 200)).toEqual([
      { n: 499 },
    ]);
  });

  it('that fails in a late row returns no part of its rows as if they were all', async () => {
    const { path } = await place();
    const { api } = team.owner;
    const failing = (count: number, at: number): string =>
      `SELECT CAST(CASE WHEN i = ${String(at)} THEN 'x' ELSE i::VARCHAR END AS INT) AS n FROM range(${String(count)}) r(i)`;
    const page = await api.post(path, { sql: failing(9_900, 9_800), limit: 10_000 });
    expectFailure(page, 'invalid_request', ['sql invalid_format']);
    const file = api.post(path, { sql: failing(2_000_000, 900_000) }, { accept: 'text/csv' });
    await expect(file).rejects.toThrow();
    Object.assign(app.nest.get(AppConfig), { exportQueryTimeoutSeconds: 1 });
    const late = api.post(path, { sql: 'FROM range(1000000000)' }, { accept: 'text/csv' });
    await expect(late).rejects.toThrow();
  });

  it.each(['has been invalidated', 'bad_alloc', 'The value of a result is too long.'])(
    'with the text "%s" is told what is wrong with it, and its process lives',
    async (text) => {
      const { path } = await place();
      const { api } = team.owner;
      const response = await api.post(path, { sql: `SELECT CAST('${text}' AS INT)` });
      expectFailure(response, 'invalid_request', ['sql invalid_format']);
      expect(response.body.error.message).toContain('Could not convert string');
      dataOf(await api.post(path, { sql: 'SELECT 1' }), 200);
      expect(processes).toHaveLength(1);
    },
  );

  it('that needs too much memory fails, and the next one runs', async () => {
    const { path } = await place();
    const { api } = team.owner;
    const sql = "SELECT list(repeat('x', 1000000) || i::VARCHAR) AS l FROM range(3000) r(i)";
    expectFailure(await api.post(path, { sql }), 'query_too_expensive');
    expect(dataOf(await api.post(path, { sql: 'SELECT max(n) AS n FROM first' }), 200)).toEqual([
      { n: 499 },
    ]);
  });

  it('gets its correct result once more if its process is killed at any moment', async () => {
    const { path, grids } = await place();
    const { api } = team.owner;
    const sql =
      'SELECT count(*) AS n, sum(f.n) AS total FROM first f JOIN second s ON f._id = s._id';
    let expected = 124_750;
    for (let round = 0; round < 10; round += 1) {
      const pending = [api.post(path, { sql }), api.post(path, { sql })];
      for (let step = 0; step < round; step += 1) await new Promise(setImmediate);
      const process = processes.at(-1);
      if (process && !process.signal.aborted) kill(process.pid ?? 0, 'SIGKILL');
      for (const response of await Promise.all(pending)) {
        if (response.status === 503) {
          expectFailure(response, 'unavailable');
          continue;
        }
        expect(dataOf(response, 200)).toEqual([{ n: 500, total: expected }]);
      }
      dataOf(await api.patch(`${grids[0]}/rows/1`, { values: { n: round } }), 200);
      expected = 124_750 + round;
      expect(dataOf(await api.post(path, { sql }), 200)).toEqual([{ n: 500, total: expected }]);
    }
  });
});

it('an account runs two statements at a time, and more wait', async () => {
  const { path } = await place();
  const { api } = team.owner;
  Object.assign(app.nest.get(AppConfig), { queryTimeoutMs: 1_000 });
  const sql = 'SELECT max(n) AS n FROM first';
  const { permits } = app.nest.get(SqlRunnerService, { strict: false });
  const running = [api.post(path, { sql: ENDLESS }), api.post(path, { sql: ENDLESS })];
  await eventually(() => permits.state.held === 2);
  const waiting = Array.from({ length: 8 }, () => api.post(path, { sql }));
  const settled: string[] = [];
  const note = (name: string) => (): void => void settled.push(name);
  for (const one of running) void one.then(note('running'));
  for (const one of waiting) void one.then(note('waiting'));
  await eventually(() => permits.state.waiting > 0 || settled.length > 0);
  expect(permits.state.held).toBe(2);
  for (const response of await Promise.all(waiting))
    expect(dataOf(response, 200)).toEqual([{ n: 499 }]);
  for (const response of await Promise.all(running)) expectFailure(response, 'query_too_expensive');
  expect(settled[0]).toBe('running');
});

it('a process that was used the least ends for a new one', async () => {
  const { api } = team.owner;
  const places: Place[] = [];
  for (let index = 0; index < 6; index += 1) {
    const one = await place();
    places.push(one);
    dataOf(await api.post(one.path, { sql: 'SELECT count(*) FROM first' }), 200);
  }
  expect(processes.filter(({ signal }) => !signal.aborted).length).toBe(2);
  for (const { path } of places) {
    expect(dataOf(await api.post(path, { sql: 'SELECT count(*) AS n FROM second' }), 200)).toEqual([
      { n: 500 },
    ]);
  }
});
