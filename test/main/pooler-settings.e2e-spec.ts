import { checkSessions } from '../../src/platform/database/session-check';
import type { DatabaseOptions } from '../../src/platform/database/data-source-options';
import { describePgBouncer, PgBouncer } from '../support/pg-bouncer';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { ServiceProcess } from './service-process';

// Each program takes its time to start.
jest.setTimeout(120_000);

const NO_PREPARED =
  'Wrong setting: DATABASE_URL leads through a pooler that shares sessions and does not support ' +
  'prepared statements. Set PREPARED_STATEMENTS=off, or use PgBouncer 1.21 or newer with ' +
  'max_prepared_statements.';
const noDirectUrl = (what: string): string =>
  `Wrong setting: DATABASE_DIRECT_URL is missing or wrong: the database is reached through a pooler that ${what}. ` +
  'Set DATABASE_DIRECT_URL to the URL of PostgreSQL itself, past the pooler (and ' +
  'PREPARED_STATEMENTS=off for PgBouncer before 1.21).';

const LIMITS = { poolSize: 1, lockTimeoutMs: 1_000 };

describePgBouncer('the check of a pooler at the start', () => {
  let database: TestDatabase;
  const bouncers: PgBouncer[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(async () => {
    await ServiceProcess.killAll();
    for (const bouncer of bouncers) await bouncer.stop();
    await database.drop();
  });

  async function through(mode: 'transaction' | 'session', settings = ''): Promise<string> {
    const bouncer = await PgBouncer.start(database.url, mode, settings);
    bouncers.push(bouncer);
    return bouncer.through(database.url);
  }

  const problemOf = (
    options: Pick<DatabaseOptions, 'url' | 'directUrl' | 'prepares'>,
  ): Promise<string | null> =>
    checkSessions({ ...LIMITS, ...options }).then(
      () => null,
      (error: unknown) => (error as Error).message,
    );

  it('reports nothing without a pooler', async () => {
    expect(await problemOf({ url: database.url })).toBeNull();
  });

  it.each(['', 'server_round_robin = 1', 'default_pool_size = 1'])(
    'names PREPARED_STATEMENTS if sessions are shared and prepared statements are lost (%j)',
    async (settings) => {
      const url = await through('transaction', settings);
      expect(await problemOf({ url, directUrl: database.url })).toBe(NO_PREPARED);
      expect(await problemOf({ url, directUrl: database.url, prepares: false })).toBeNull();
    },
  );

  it('names PREPARED_STATEMENTS if other clients use the pooler', async () => {
    const url = await through('transaction', 'server_round_robin = 1');
    const { Pool } = await import('pg');
    const others = new Pool({ connectionString: url, max: 4 });
    let isOver = false;
    const work = Array.from({ length: 4 }, async () => {
      while (!isOver) await others.query('SELECT pg_sleep(0.001)');
    });
    const problem = await problemOf({ url, directUrl: database.url });
    isOver = true;
    await Promise.all(work);
    await others.end();
    expect(problem).toBe(NO_PREPARED);
  });

  it('names DATABASE_DIRECT_URL if the pooler rejects, ignores or shares session settings', async () => {
    const ignoring = 'ignore_startup_parameters = options';
    const plain = await through('transaction');
    const transaction = await through('transaction', ignoring);
    const session = await through('session', ignoring);
    const brought = `${transaction}&options=-c%20jit%3Doff`;
    const cases: [string, string][] = [
      [plain, 'rejects the settings of sessions'],
      [transaction, 'ignores the settings of sessions'],
      [session, 'ignores the settings of sessions'],
      [brought, 'shares sessions between clients'],
    ];
    for (const [url, what] of cases) {
      expect(await problemOf({ url, prepares: false })).toBe(noDirectUrl(what));
    }
  });

  it('names DATABASE_DIRECT_URL if it leads through the pooler too', async () => {
    const [url, other] = [await through('transaction'), await through('transaction')];
    const problem = await problemOf({ url, directUrl: other, prepares: false });
    expect(problem).toBe(noDirectUrl('rejects the settings of sessions'));
  });

  it('reports nothing for a pooler that gives each client a session', async () => {
    const url = await through('session');
    expect(await problemOf({ url, directUrl: database.url })).toBeNull();
  });

  it('ends the service with the hint in one line', async () => {
    const url = await through('transaction');
    const services = [
      ServiceProcess.start({ DATABASE_URL: url, DATABASE_DIRECT_URL: database.url }),
      ServiceProcess.start({ DATABASE_URL: url }),
    ];
    expect(await Promise.all(services.map((service) => service.exit()))).toEqual([1, 1]);
    expect(services.map((service) => service.stderr())).toEqual([
      `${NO_PREPARED}\n`,
      `${noDirectUrl('rejects the settings of sessions')}\n`,
    ]);
  });
});
