import { ApiKeyRepository } from '../../../src/auth/api-key/api-key.repository';
import { HEARTBEAT_TIMING } from '../../../src/platform/database/change-listener';
import { endsWithin } from '../../../src/platform/time/ends-within';
import { eventually } from '../../support/eventually';
import { newTeam, type Team } from '../../support/fixture';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let lookups: jest.SpyInstance;

beforeEach(async () => {
  app = await TestApp.alone('It ends the connection that listens for changes.', {
    heartbeats: HEARTBEAT_TIMING,
  });
  team = await newTeam(app);
  lookups = jest.spyOn(app.nest.get(ApiKeyRepository), 'findCallers');
  await until(remembersEditor);
});

afterEach(async () => {
  await app.close();
});

const statusOf = async (): Promise<number> => (await team.editor.api.get('/me')).status;

/** Sends a request that must succeed. @returns true if its key was not looked up. */
async function remembersEditor(): Promise<boolean> {
  lookups.mockClear();
  expect(await statusOf()).toBe(200);
  return lookups.mock.calls.length === 0;
}

/**
 * Waits for a condition. The time limit applies to the start of a check, because a check may be
 * slow on a busy machine.
 */
async function until(isMet: () => Promise<boolean>, withinMs = 20_000): Promise<void> {
  const untilMs = performance.now() + withinMs;
  for (let askedAtMs = 0; !(await isMet()); askedAtMs = performance.now()) {
    if (askedAtMs > untilMs) throw new Error('What was waited for has not come.');
  }
}

const revoke = (): Promise<unknown> =>
  app.sql.query('UPDATE api_keys SET revoked_at = now() WHERE user_id = $1', [team.editor.userId]);

/** Returns the PostgreSQL process of the LISTEN connection. */
async function listener(): Promise<number> {
  const found = await app.sql.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'datagrid-platform notices'`,
  );
  expect(found.rows).toHaveLength(1);
  return Number(found.rows[0]?.pid);
}

/**
 * Stops the process between two heartbeats. During a heartbeat it may hold a lock for which all
 * commits wait.
 */
async function freeze(pid: number): Promise<void> {
  await eventually(async () => {
    process.kill(pid, 'SIGSTOP');
    const commit = app.sql.query('NOTIFY anything');
    if (await endsWithin(commit, 1_000)) return true;
    process.kill(pid, 'SIGCONT');
    await commit;
    return false;
  });
}

/**
 * Sends requests for this time. @returns true if one succeeds by a lookup that was cached
 * meanwhile.
 */
async function remembersAnew(withinMs: number): Promise<boolean> {
  const untilMs = performance.now() + withinMs;
  for (let isLookedUp = false; performance.now() < untilMs;) {
    lookups.mockClear();
    if ((await statusOf()) !== 200) return false;
    const isRemembered = lookups.mock.calls.length === 0;
    if (isLookedUp && isRemembered) return true;
    isLookedUp ||= !isRemembered;
  }
  return false;
}

describe('cached authentication', () => {
  it('rejects a key within 1 s after it is revoked in the database', async () => {
    await revoke();
    await until(async () => (await statusOf()) === 401, 1_000);
  });

  it('applies a lowered role and a suspension within 1 s after they change in the database', async () => {
    await app.sql.query("UPDATE users SET role = 'viewer' WHERE id = $1", [team.editor.userId]);
    const role = async (): Promise<unknown> => (await team.editor.api.get('/me')).body.data.role;
    await until(async () => (await role()) === 'viewer', 1_000);
    await app.sql.query('UPDATE users SET suspended = true WHERE id = $1', [team.editor.userId]);
    await until(async () => (await statusOf()) === 403, 1_000);
  });

  it('is not used while the LISTEN connection is broken', async () => {
    await app.sql.query('SELECT pg_terminate_backend($1)', [await listener()]);
    await until(async () => !(await remembersEditor()), 1_000);
    await revoke();
    expect(await statusOf()).toBe(401);
  });

  it('is trusted for less than 1 s while the LISTEN connection is silent', async () => {
    const pid = await listener();
    await freeze(pid);
    try {
      await revoke();
      await until(async () => (await statusOf()) === 401, 1_000);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  });

  it('is used again once the LISTEN connection is replaced', async () => {
    await app.sql.query('SELECT pg_terminate_backend($1)', [await listener()]);
    await until(async () => !(await remembersEditor()), 1_000);
    await until(remembersEditor);
  });

  it('rejects a key once it has expired', async () => {
    const expire =
      'UPDATE api_keys SET expires_at = now() + make_interval(secs => $2) WHERE user_id = $1';
    // Doubles the time until the key is cached before it expires, even on a busy machine.
    let seconds = 1;
    for (; ; seconds *= 2) {
      await app.sql.query(expire, [team.editor.userId, seconds]);
      if (await remembersAnew(seconds * 1_000)) break;
    }
    await until(async () => (await statusOf()) === 401, seconds * 1_000 + 1_000);
  });
});
