import { WorkspaceService } from '../../../src/workspaces/workspace.service';
import type { ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { newTeam, type Team } from '../../support/fixture';
import { type Ids, newIds } from '../../support/ids';
import { bodyFor, pathOf, routesOf } from '../../support/routes';
import { SQL_COPIES, TestApp } from '../../support/test-app';
import { expectErrorShape } from './errors-shape';

interface LogLine {
  readonly level: string;
  readonly requestId?: string;
  readonly msg: string;
  readonly err?: { readonly message: string; readonly stack: string };
}

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.alone('Its trigger lets every write of rows fail.', {
    settings: { COLUMNAR_DIR: SQL_COPIES },
  });
  team = await newTeam(app);
});

afterEach(() => jest.restoreAllMocks());
afterAll(() => app.close());

/** Returns the error that the service has logged with a response's request id. */
function loggedFor(response: ApiResponse): Promise<LogLine> {
  const id = response.headers.get('x-request-id') ?? '';
  return eventually(() =>
    app.logs
      .filter((line) => line.includes(id))
      .map((line) => JSON.parse(line) as LogLine)
      .find(({ level, requestId }) => level === 'error' && requestId === id),
  );
}

/** Asserts the exact response, which contains no SQL, path, stack or name. */
function expectBareInternal(response: ApiResponse, route = ''): void {
  expect([route, expectErrorShape(response)]).toEqual([route, 'internal']);
  const requestId = response.headers.get('x-request-id') ?? '';
  expect(response.text).toBe(
    JSON.stringify({
      error: { code: 'internal', message: 'Internal server error.', requestId },
    }),
  );
  const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  expect(fields).not.toMatch(/select|insert|update |relation|\.[jt]s\b|node_modules/i);
  expect(fields).not.toContain(process.cwd());
}

/** Whether a request cancels an import that has ended, which is rejected without most statements. */
const isRejected = (method: string, path: string): boolean =>
  method === 'DELETE' && path.endsWith(':importId');

interface Called {
  readonly route: string;
  readonly response: ApiResponse;
}

/** Ids of `team.owner` for each route that uses them up if it succeeds. */
const unused = new Map<string, Ids>();

/** Calls every route with a valid request while the database is broken. */
async function callAllRoutes(breakSql: string, repairSql: string): Promise<Called[]> {
  // Names of an earlier call are taken in its account.
  const fresh = await app.newAccount();
  const shared = await newIds(fresh);
  const calls: (() => Promise<Called>)[] = [];
  const routes = routesOf(app).filter(({ method, path }) => !isRejected(method, path));
  for (const each of routes) {
    const route = `${each.method} ${each.path}`;
    const isDeletion = each.method === 'DELETE';
    const usesUp = isDeletion || each.path.endsWith('/restore');
    const { api } = usesUp ? team.owner : fresh;
    const ids = usesUp ? (unused.get(route) ?? (await newIds({ api }, each.path))) : shared;
    if (usesUp) unused.set(route, ids);
    const query = isDeletion && each.path.endsWith('/:workspaceId') ? '?cascade=true' : '';
    const path = `${pathOf(each, ids)}${query}`;
    calls.push(async () => {
      const response = await api.send(each.method, path, bodyFor(each, ids));
      if (response.status < 400) unused.delete(route);
      return { route, response };
    });
  }
  await app.sql.query(breakSql);
  try {
    return await Promise.all(calls.map((call) => call()));
  } finally {
    await app.sql.query(repairSql);
  }
}

const TABLES = [
  'accounts',
  'users',
  'api_keys',
  'workspaces',
  'datagrids',
  'datagrid_columns',
  'datagrid_counters',
  'datagrid_purges',
  'rows',
  'row_gaps',
  'datagrid_changes',
  'row_versions',
  'unique_values',
  'imports',
  'import_lines',
];

describe('a response with 500', () => {
  it.each(TABLES)('contains no detail if the table %s is gone, but the log does', async (table) => {
    const responses = await callAllRoutes(
      `ALTER TABLE ${table} RENAME TO ${table}_gone`,
      `ALTER TABLE ${table}_gone RENAME TO ${table}`,
    );
    const failed = responses.filter(({ response }) => response.status >= 400);
    expect(failed.length).toBeGreaterThan(0);
    for (const { route, response } of failed) {
      expectBareInternal(response, route);
      const { err, msg } = await loggedFor(response);
      expect(msg).toBe('request failed');
      expect(err?.message).toBe(`relation "${table}" does not exist`);
      expect(err?.stack).toContain('\n    at ');
    }
  });

  it('contains no detail if a column of a table is missing', async () => {
    const failed = await callAllRoutes(
      'ALTER TABLE rows RENAME COLUMN revision TO rev',
      'ALTER TABLE rows RENAME COLUMN rev TO revision',
    );
    const internal = failed.filter(({ response }) => response.status >= 400);
    expect(internal.length).toBeGreaterThan(5);
    for (const { route, response } of internal) {
      expectBareInternal(response, route);
      expect((await loggedFor(response)).err?.message).toMatch(/revision/);
    }
  });

  it('contains no detail if PostgreSQL fails in the middle of a write, which is rolled back', async () => {
    const values = await newIds(team.owner);
    const row = `/datagrids/${values.datagridId}/rows/${values.rowId}`;
    const before = await team.owner.api.get(row);
    const grid = `/datagrids/${values.datagridId}`;
    const { revision } = (await team.owner.api.get(grid)).body.data;
    await app.sql.query(`
      CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'secret in /etc/secret.sql' USING DETAIL = 'SELECT 1'; END $$;
      CREATE TRIGGER fail AFTER UPDATE OR DELETE ON rows FOR EACH ROW EXECUTE FUNCTION fail()`);
    const failed = [
      await team.owner.api.patch(row, { values: { n: 9 } }),
      await team.owner.api.put(row, { values: {} }),
      await team.owner.api.delete(row),
    ];
    await app.sql.query('DROP TRIGGER fail ON rows; DROP FUNCTION fail()');
    for (const response of failed) {
      expectBareInternal(response);
      expect((await loggedFor(response)).err?.message).toBe('secret in /etc/secret.sql');
    }
    expect((await team.owner.api.get(row)).body).toEqual(before.body);
    // The connections are still usable.
    const changed = await team.owner.api.patch(row, { values: { n: 9 } });
    expect([changed.status, changed.body.data.revision]).toEqual([200, Number(revision) + 1]);
  });

  const circular: Record<string, unknown> = {};
  circular['self'] = circular;

  it.each<[string, unknown]>([
    ['an error', new Error('secret of /srv/app/file.ts: SELECT 1')],
    ['a type error', new TypeError('x is not a function')],
    ['a text', 'secret'],
    ['nothing', undefined],
    ['null', null],
    ['an object that says 200', { status: 200, secret: true }],
    ['an error that says 500', Object.assign(new Error('secret'), { status: 500, expose: true })],
  ])('contains no detail if the service throws %s', async (_, thrown) => {
    jest.spyOn(app.nest.get(WorkspaceService), 'list').mockRejectedValue(thrown);
    const response = await team.owner.api.get('/workspaces');
    expectBareInternal(response);
    expect((await loggedFor(response)).msg).toBe('request failed');
  });

  it.each<[string, unknown]>([
    ['a circle', circular],
    ['a bigint', 1n],
  ])('contains no detail if a result cannot be serialized because of %s', async (_, given) => {
    jest.spyOn(app.nest.get(WorkspaceService), 'list').mockResolvedValue(given as never);
    const response = await team.owner.api.get('/workspaces');
    expectBareInternal(response);
    expect((await loggedFor(response)).err?.stack).toContain('JSON.stringify');
  });
});
