import { randomBytes } from 'node:crypto';
import { MIGRATIONS } from '../../src/platform/database/migrations/migration-list';
import { onDatabase, withClient } from '../support/database-url';
import { admin, adminError, adminProcess } from './admin';

// Starting a program may take long.
jest.setTimeout(120_000);

const server = process.env['TEST_SERVER_URL'] ?? '';
const name = `datagrid_test_${randomBytes(8).toString('hex')}`;
const settings = { DATABASE_URL: onDatabase(server, name) };

beforeAll(async () => {
  await withClient(server, (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`),
  );
});

afterAll(async () => {
  await withClient(server, (client) => client.query(`DROP DATABASE IF EXISTS ${name}`));
});

describe('migrate', () => {
  it('creates the schema of an empty database once if two start together', async () => {
    const runs = await Promise.all([
      adminProcess(settings, 'migrate', '--json'),
      adminProcess(settings, 'migrate', '--json'),
    ]);
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    const all = MIGRATIONS.map((migration) => migration.name);
    expect(all.length).toBeGreaterThan(5);
    expect(
      runs.flatMap(({ stdout }) => (JSON.parse(stdout) as { applied: string[] }).applied),
    ).toEqual(all);
    const kept = await withClient(settings.DATABASE_URL, (client) =>
      client.query('SELECT name FROM schema_migrations ORDER BY id'),
    );
    expect(kept.rows.map((row: { name: string }) => row.name)).toEqual(all);
  });

  it('says that the schema is up to date if it is', async () => {
    const response = await admin(settings, 'migrate');
    expect(response).toEqual({ code: 0, stdout: 'The schema is up to date.\n', stderr: '' });
  });

  it('fails if the database does not exist', async () => {
    const DATABASE_URL = onDatabase(server, 'there_is_no_such_database');
    expect((await adminError({ DATABASE_URL }, 'migrate')).message).toContain('does not exist');
  });
});
