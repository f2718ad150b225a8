import { ERROR_STATUS, type ErrorCode } from '../../../src/common/error/app-error';
import { UserService } from '../../../src/auth/user/user.service';
import type { ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, newWorkspace, type Team } from '../../support/fixture';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { TestApp } from '../../support/test-app';

const QUOTA_WORKSPACES = 20;

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.start({
    settings: {
      RATE_LIMIT_REQUESTS: '50',
      QUERY_TIMEOUT_MS: '200',
      QUOTA_WORKSPACES: String(QUOTA_WORKSPACES),
    },
  });
  team = await newTeam(app);
});

afterAll(() => app.close());

const line = 'GET /api/v1/public/me HTTP/1.1';

/** Breaks the connection during a statement, as when an operator stops PostgreSQL. */
async function withBrokenInserts(call: () => Promise<ApiResponse>): Promise<ApiResponse> {
  await app.sql.query(`
    CREATE OR REPLACE FUNCTION break_connection() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NEW; END $$;
    CREATE TRIGGER break_connection BEFORE INSERT ON workspaces
      FOR EACH ROW EXECUTE FUNCTION break_connection()`);
  const response = await call();
  await app.sql.query('DROP TRIGGER break_connection ON workspaces');
  return response;
}

async function withoutWorkspaces(call: () => Promise<ApiResponse>): Promise<ApiResponse> {
  await app.sql.query('ALTER TABLE workspaces RENAME TO elsewhere');
  const response = await call();
  await app.sql.query('ALTER TABLE elsewhere RENAME TO workspaces');
  return response;
}

/** Sends a request whose headers never end. */
async function endlessRequest(): Promise<ApiResponse> {
  const hasty = await TestApp.start({
    database: app.database,
    beforeListen: (server) => {
      Object.assign(server, { headersTimeout: 200, connectionsCheckingInterval: 20 });
    },
  });
  try {
    return await sendRaw(hasty.port, `${line}\r\nHost: localhost\r\n`);
  } finally {
    await hasty.close();
  }
}

/** Locks the rows, so that a query exceeds its timeout. */
async function withLockedRows(call: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const client = await app.sql.connect();
  await client.query('BEGIN; LOCK TABLE rows IN ACCESS EXCLUSIVE MODE');
  const response = await call();
  await client.query('ROLLBACK');
  client.release();
  return response;
}

/** A request that returns each code; `null` for codes that no route returns yet. */
const WAYS: Record<ErrorCode, (() => Promise<ApiResponse>) | null> = {
  invalid_request: () => team.owner.api.get('/workspaces?page=0'),
  query_too_expensive: async () => {
    const path = await newDatagrid(team.owner.api, [{ key: 'n', type: 'integer' }]);
    return withLockedRows(() => team.owner.api.get(`${path}/rows?sort=n`));
  },
  cursor_expired: async () => {
    const path = await newDatagrid(team.owner.api, []);
    const { nextCursor } = (await team.owner.api.get(`${path}/changes?cursor=latest`)).body.meta;
    await team.owner.api.post(`${path}/rows`, { values: {} });
    const id = path.split('/')[2];
    await app.sql.query('DELETE FROM datagrid_changes WHERE datagrid_id = $1', [id]);
    return team.owner.api.get(`${path}/changes?cursor=${String(nextCursor)}`);
  },
  unauthenticated: () => app.api().get('/me'),
  forbidden: () => team.viewer.api.post('/workspaces', {}),
  account_suspended: async () => {
    const { email, api } = await app.newUser(team.owner.accountId, 'viewer');
    await app.nest.get(UserService).setSuspended(email, true);
    return api.get('/me');
  },
  https_required: async () => {
    const strict = await TestApp.start({
      database: app.database,
      settings: { REQUIRE_HTTPS: 'on' },
    });
    try {
      return await strict.api(team.owner.key).get('/me');
    } finally {
      await strict.close();
    }
  },
  quota_exceeded: async () => {
    const { api } = await app.newAccount();
    for (let each = 0; each < QUOTA_WORKSPACES; each += 1) await newWorkspace(api);
    return api.post('/workspaces', { name: 'One too many' });
  },
  not_found: () => team.owner.api.get('/nothing'),
  method_not_allowed: () => team.owner.api.put('/workspaces', {}),
  request_timeout: endlessRequest,
  conflict: async () => {
    await team.owner.api.post('/workspaces', { name: 'Once' });
    return team.owner.api.post('/workspaces', { name: 'Once' });
  },
  idempotency_key_reused: async () => {
    const headers = { 'idempotency-key': 'one' };
    await team.owner.api.post('/workspaces', { name: 'First' }, headers);
    return team.owner.api.post('/workspaces', { name: 'Second' }, headers);
  },
  idempotency_key_in_use: async () => {
    const headers = { 'idempotency-key': 'two' };
    const send = (): Promise<ApiResponse> =>
      team.owner.api.post('/workspaces', { name: 'Twice' }, headers);
    const client = await app.sql.connect();
    await client.query('BEGIN; LOCK TABLE workspaces IN EXCLUSIVE MODE');
    const first = send();
    await eventually(async () => {
      const held =
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
      return (await client.query(held)).rowCount !== 0;
    });
    const second = await send();
    await client.query('ROLLBACK');
    client.release();
    await first;
    return second;
  },
  precondition_failed: async () => {
    const path = await newDatagrid(team.owner.api, []);
    return team.owner.api.patch(path, { name: 'Moved' }, { 'if-match': '"another"' });
  },
  payload_too_large: () => team.owner.api.post('/workspaces', Buffer.alloc(11 * 1024 * 1024)),
  unsupported_media_type: () => team.owner.api.post('/workspaces', 'x', { 'content-type': 'a/b' }),
  expectation_failed: () => sendRaw(app.port, rawRequest([line, 'Host: localhost', 'Expect: tea'])),
  rate_limited: async () => {
    const { api } = await app.newUser(team.owner.accountId, 'viewer');
    await Promise.all(Array.from({ length: 50 }, () => api.get('/me')));
    return api.get('/me');
  },
  headers_too_large: () => sendRaw(app.port, `${line}\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`),
  internal: () => withoutWorkspaces(() => team.owner.api.get('/workspaces')),
  unavailable: () => withBrokenInserts(() => team.owner.api.post('/workspaces', { name: 'Never' })),
};

describe('every error response', () => {
  const codes = Object.keys(ERROR_STATUS) as ErrorCode[];

  it.each(codes.filter((code) => WAYS[code] !== null))('has the error format: %s', async (code) => {
    const response = await WAYS[code]?.();
    if (!response) throw new Error('No way to this code.');
    const details = ((response.body.error.details ?? []) as { field: string; code: string }[]).map(
      ({ field, code: problem }) => `${field} ${problem}`,
    );
    expectFailure(response, code, details);
    const members = details.length > 0 ? ['details'] : [];
    const expected = ['code', 'message', ...members, 'requestId'];
    expect(Object.keys(response.body.error)).toEqual(expected);
    if (code === 'unavailable') expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  });
});
