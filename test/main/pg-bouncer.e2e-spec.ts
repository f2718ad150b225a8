import { ApiKeyService } from '../../src/auth/api-key/api-key.service';
import { runEverything, SETTINGS as WORKLOAD_SETTINGS } from '../citus/workload';
import { expectFailure } from '../support/failure';
import { dataOf, newDatagrid } from '../support/fixture';
import { describePgBouncer, PgBouncer } from '../support/pg-bouncer';
import { TestApp } from '../support/test-app';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { problemsOf } from '../support/verify';
import { onDatabase, withClient } from '../support/database-url';
import { ServiceProcess } from './service-process';

// Runs everything that the service does through a pooler, on a machine that may be busy.
jest.setTimeout(180_000);

/**
 * The query timeout is shorter than the lock timeout, so that it ends a waiting query. Neither is so short
 * that statements without a wait exceed it on a busy machine.
 */
const SETTINGS = {
  ...WORKLOAD_SETTINGS,
  // Debian's 1.18 does not support prepared statements in transaction mode.
  PREPARED_STATEMENTS: 'off',
  LOCK_TIMEOUT_MS: '3777',
  QUERY_TIMEOUT_MS: '2444',
};
const CLIENTS = 20;
const CREATES_EACH = 10;

describePgBouncer('PgBouncer in transaction mode with its default settings', () => {
  let database: TestDatabase;
  let bouncer: PgBouncer;
  let pooled: TestApp;
  let direct: TestApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    bouncer = await PgBouncer.start(database.url);
    direct = await TestApp.start({ database });
    pooled = await TestApp.start({
      database: { url: bouncer.through(database.url), drop: () => Promise.resolve() },
      settings: {
        DATABASE_DIRECT_URL: database.url,
        ...SETTINGS,
      },
    });
  });

  afterAll(async () => {
    await ServiceProcess.killAll();
    await pooled.close();
    await direct.close();
    await bouncer.stop();
    await database.drop();
  });

  it('supports everything that the service does', async () => {
    await runEverything(pooled);
    expect(await problemsOf(pooled)).toEqual([]);
    const { rows } = await pooled.sql.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM pg_prepared_statements',
    );
    expect(rows[0]?.count).toBe(0);
  });

  it('loses no concurrent create and no id', async () => {
    const { api } = await pooled.newAccount();
    const grid = await newDatagrid(api, [{ key: 'n', type: 'integer', unique: true }]);
    const ids = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        const made: number[] = [];
        for (let count = 0; count < CREATES_EACH; count += 1) {
          const values = { n: client * CREATES_EACH + count };
          made.push(dataOf(await api.post(`${grid}/rows`, { values }), 201).id);
        }
        return made;
      }),
    );
    const all = CLIENTS * CREATES_EACH;
    const sorted = ids.flat().sort((one, other) => one - other);
    expect(sorted).toEqual(Array.from({ length: all }, (_, index) => index + 1));
    expect((await api.get(`${grid}/rows`)).body.meta.total).toBe(all);
    expectFailure(await api.post(`${grid}/rows`, { values: { n: 1 } }), 'conflict', [
      'values.n duplicate',
    ]);
  });

  it('rejects a revoked key from the next request, whichever instance revokes it', async () => {
    const { accountId } = await pooled.newAccount();
    for (const revoker of [direct, pooled]) {
      const member = await pooled.newUser(accountId, 'viewer');
      expect((await member.api.get('/me')).status).toBe(200);
      await revoker.nest.get(ApiKeyService).revoke(member.keyId, 'operator');
      expectFailure(await member.api.get('/me'), 'unauthenticated');
    }
  });

  it('applies the settings of the service to its sessions, and a transaction can override them', async () => {
    const { rows } = await pooled.sql.query<Record<string, string>>(
      `SELECT current_setting('lock_timeout') AS lock, current_setting('jit') AS jit,
         current_setting('plan_cache_mode') AS plan`,
    );
    expect(rows).toEqual([{ lock: '3777ms', jit: 'off', plan: 'force_generic_plan' }]);

    const { api } = await pooled.newAccount();
    const grid = await newDatagrid(api, [{ key: 'n', type: 'integer' }]);
    const holder = await direct.sql.connect();
    await holder.query('BEGIN; LOCK TABLE datagrid_counters, rows IN ACCESS EXCLUSIVE MODE');
    try {
      expectFailure(await api.post(`${grid}/rows`, { values: { n: 1 } }), 'unavailable');
      await holder.query('ROLLBACK; BEGIN; LOCK TABLE rows IN ACCESS EXCLUSIVE MODE');
      expectFailure(await api.get(`${grid}/rows?sort=n`), 'query_too_expensive', ['n not_indexed']);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
  });

  it('lets a service process start, which migrates over the direct URL', async () => {
    const name = `${/\/(datagrid_test_\w+)/.exec(database.url)?.[1] ?? ''}_empty`;
    await withClient(database.url, (client) => client.query(`CREATE DATABASE ${name}`));
    const url = onDatabase(database.url, name);
    const settings = {
      DATABASE_URL: bouncer.through(url),
      DATABASE_DIRECT_URL: url,
      ...SETTINGS,
    };
    try {
      const services = [ServiceProcess.start(settings), ServiceProcess.start(settings)];
      for (const service of services) {
        const origin = await service.origin();
        expect((await fetch(`${origin}/health/ready`)).status).toBe(200);
      }
      for (const service of services) expect(await service.stop()).toBe(0);
    } finally {
      await withClient(database.url, (client) =>
        client.query(`DROP DATABASE ${name} WITH (FORCE)`),
      );
    }
  });
});

describePgBouncer('PgBouncer in session mode', () => {
  it('supports everything that the service does, with the same settings and prepared statements', async () => {
    const database = await createTestDatabase();
    const bouncer = await PgBouncer.start(database.url, 'session');
    const pooled = await TestApp.start({
      database: { url: bouncer.through(database.url), drop: () => Promise.resolve() },
      // Each connection of the service and of the test uses one of the pooler.
      settings: {
        ...WORKLOAD_SETTINGS,
        DATABASE_DIRECT_URL: database.url,
        DATABASE_POOL_SIZE: '2',
      },
    });
    try {
      await runEverything(pooled);
      expect(await problemsOf(pooled)).toEqual([]);
    } finally {
      await pooled.close();
      await bouncer.stop();
      await database.drop();
    }
  });
});
