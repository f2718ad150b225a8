import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MIGRATIONS } from '../../src/platform/database/migrations/migration-list';
import { onDatabase, withClient } from '../support/database-url';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { admin, adminError, adminJson, adminProcess } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

const server = process.env['TEST_SERVER_URL'] ?? '';
const LAST = MIGRATIONS.at(-1)?.name ?? '';
const NO_SCHEMA =
  'The database has no schema: it is empty, or a restore failed. Check DATABASE_URL and the ' +
  'output of pg_restore. Run "admin migrate" only for a new installation.';

async function relations(url: string): Promise<number> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ count: number }>(
      "SELECT count(*)::int AS count FROM pg_class WHERE relnamespace = 'public'::regnamespace",
    ),
  );
  return rows[0]?.count ?? -1;
}

describe('an empty database', () => {
  const name = `datagrid_test_${randomBytes(8).toString('hex')}`;
  const settings = { DATABASE_URL: onDatabase(server, name) };

  beforeAll(async () => {
    await withClient(server, (client) =>
      client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`),
    );
  });

  afterAll(async () => {
    await withClient(server, (client) =>
      client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
    );
  });

  it('fails verify, with and without --json, and stays empty', async () => {
    expect(await adminProcess(settings, 'verify')).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: ${NO_SCHEMA}\n`,
    });
    const error = await adminError(settings, 'verify', '--repair');
    expect(error).toEqual({ code: 'conflict', message: NO_SCHEMA });
    expect(await relations(settings.DATABASE_URL)).toBe(0);
  });

  it('stays empty if a command needs an existing account', async () => {
    const [email, id] = ['--email=a@example.com', '--account=x'];
    const commands = [
      ['user', 'create', email, id, '--role=viewer'],
      ['key', 'list', email],
      ['account', 'suspend', id],
    ];
    const errors = await Promise.all(commands.map((command) => adminError(settings, ...command)));
    expect(errors.map(({ message }) => message)).toEqual([NO_SCHEMA, NO_SCHEMA, NO_SCHEMA]);
    expect(await relations(settings.DATABASE_URL)).toBe(0);
  });

  it('gets its schema when the first account is created', async () => {
    const args = ['account', 'create', '--name=A', '--owner-email=a@example.com'];
    expect(await adminJson(settings, ...args)).toEqual({
      accountId: expect.any(String),
      userId: expect.any(String),
    });
    expect(await adminJson(settings, 'verify')).toMatchObject({ ok: true, datagrids: 0 });
  });
});

describe('a schema that differs from the one of this release', () => {
  let database: TestDatabase;
  let settings: { DATABASE_URL: string };

  beforeEach(async () => {
    database = await createTestDatabase();
    settings = { DATABASE_URL: database.url };
  });

  afterEach(() => database.drop());

  const run = (sql: string): Promise<unknown> =>
    withClient(database.url, (client) => client.query(sql));

  it('fails verify and other commands if a migration is missing, and is not migrated by them', async () => {
    await run(`DELETE FROM schema_migrations WHERE name = '${LAST}'`);
    const message =
      `The schema is older than this release: 1 migration is missing (${LAST}). ` +
      'Run "admin migrate" first.';
    const create = ['account', 'create', '--name=A', '--owner-email=a@example.com'];
    for (const command of [['verify'], create]) {
      expect(await adminError(settings, ...command)).toEqual({ code: 'conflict', message });
    }
    const { rows } = await withClient(database.url, (client) =>
      client.query(`SELECT name FROM schema_migrations WHERE name = '${LAST}'`),
    );
    expect(rows).toEqual([]);
  });

  it('fails verify if it is newer, but not other commands', async () => {
    await run("INSERT INTO schema_migrations (timestamp, name) VALUES (9999, 'Later9999')");
    expect(await adminError(settings, 'verify')).toEqual({
      code: 'conflict',
      message:
        'The schema is newer than this release: 1 migration is unknown (Later9999). ' +
        'Use the release that created it, or a newer one.',
    });
    const create = ['account', 'create', '--name=A', '--owner-email=a@example.com'];
    expect((await admin(settings, ...create)).code).toBe(0);
  });

  it('fails verify if a trigger is missing, such as after an incomplete restore', async () => {
    await run('DROP TRIGGER users_changed ON users');
    expect(await adminError(settings, 'verify')).toEqual({
      code: 'conflict',
      message:
        'The schema is incomplete (missing definitions: 1, the first: "trigger users_changed"). ' +
        'Restore the backup again, with --exit-on-error.',
    });
  });

  it('passes verify if an operator has added an index', async () => {
    await run('CREATE INDEX of_the_operator ON workspaces (created_at)');
    expect(await adminJson(settings, 'verify')).toMatchObject({ ok: true });
  });
});

describe('a DATA_DIR without a database', () => {
  it('fails verify and stays empty', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'datagrid-verify-'));
    try {
      const { message } = await adminError({ DATA_DIR: dataDir }, 'verify');
      expect(message).toBe(
        `DATA_DIR (${JSON.stringify(dataDir)}) contains no database. ` +
          'Set DATABASE_URL, or start the service first.',
      );
      expect(await readdir(dataDir)).toEqual([]);
    } finally {
      await rm(dataDir, { recursive: true });
    }
  });
});
