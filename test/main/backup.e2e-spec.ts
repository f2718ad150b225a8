import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminError, adminJson } from '../cli/admin';
import { ApiClient } from '../support/api-client';
import { withClient } from '../support/database-url';
import { DebianPostgres, describeDebianPostgres, PROGRAMS } from '../support/debian-postgres';
import { fencesOf } from '../support/document/fence';
import { dataOf, newDatagrid } from '../support/fixture';
import { ServiceProcess } from './service-process';

// Each program takes its time to start.
jest.setTimeout(240_000);

const ROOT = join(__dirname, '../..');
const SCRIPTS = fencesOf(readFileSync(join(ROOT, 'docs/operations/backup.md'), 'utf8'))
  .filter(({ language }) => language === 'sh')
  .map(({ text }) => text);
const scriptWith = (command: string): string => {
  const [script = '', ...others] = SCRIPTS.filter((text) => text.includes(command));
  expect([script.length > 0, others]).toEqual([true, []]);
  return script;
};

describeDebianPostgres('the documented backup and restore, on PostgreSQL 15', () => {
  let postgres: DebianPostgres;
  let directory: string;

  beforeAll(async () => {
    postgres = await DebianPostgres.start();
    directory = await mkdtemp(join(tmpdir(), 'datagrid-backup-'));
    await symlink(join(ROOT, 'dist'), join(directory, 'dist'));
    await withClient(postgres.url('app', 'postgres'), async (client) => {
      await client.query('CREATE ROLE service LOGIN');
      for (const name of ['source', 'failed', 'restored']) {
        await client.query(`CREATE DATABASE ${name} OWNER service`);
      }
    });
    // Adds objects that the service does not own and its role may not create.
    await withClient(postgres.url('app', 'source'), async (client) => {
      await client.query('CREATE EXTENSION pg_stat_statements');
      await client.query('CREATE PUBLICATION changes FOR ALL TABLES');
      await client.query('CREATE EXTENSION pg_trgm');
    });
    // As the documentation says, because an index of the operator uses it.
    await withClient(postgres.url('app', 'restored'), (client) =>
      client.query('CREATE EXTENSION pg_trgm'),
    );
  });

  afterAll(async () => {
    await ServiceProcess.killAll();
    await postgres.remove();
    await rm(directory, { recursive: true, force: true });
  });

  const run = (script: string, database: string): SpawnSyncReturns<string> =>
    spawnSync('/bin/sh', ['-eu', '-c', script], {
      cwd: directory,
      env: {
        PATH: `${PROGRAMS}:${process.env['PATH'] ?? ''}`,
        DATABASE_URL: postgres.url('service', database),
      },
      encoding: 'utf8',
    });

  it('restores everything, even if the database has a publication, and extensions that its indexes use', async () => {
    const source = { DATABASE_URL: postgres.url('service', 'source') };
    const email = 'ada@example.com';
    await adminJson(source, 'account', 'create', '--name=A', `--owner-email=${email}`);
    const { key } = await adminJson(source, 'key', 'create', `--email=${email}`);
    const service = await ServiceProcess.ready(source);
    const api = new ApiClient(await service.origin(), String(key));
    const grid = await newDatagrid(api, [{ key: 'n', type: 'integer', unique: true }]);
    const rows = Array.from({ length: 50 }, (_, n) => ({ values: { n } }));
    dataOf(await api.post(`${grid}/rows`, { rows }), 201);
    await withClient(postgres.url('app', 'source'), (client) =>
      client.query('CREATE INDEX account_names ON accounts USING gin (name gin_trgm_ops)'),
    );
    const before = await api.get(`${grid}/rows?limit=200`);
    expect(before.body.meta.total).toBe(50);
    expect(run(scriptWith('pg_dump '), 'source')).toMatchObject({ status: 0, stderr: '' });
    expect(await service.stop()).toBe(0);

    // Without the list, the restore stops at the extension, and verify reports an empty database.
    const failed = postgres.url('service', 'failed');
    const plain = run(`pg_restore -1 --no-owner -d '${failed}' datagrid.dump`, 'failed');
    expect([plain.status, plain.stderr]).toEqual([1, expect.stringContaining('EXTENSION')]);
    const { message } = await adminError({ DATABASE_URL: failed }, 'verify');
    expect(message).toMatch(/^The database has no schema: it is empty, or a restore failed\. /);

    const listed = run(scriptWith("grep ' EXTENSION '"), 'restored');
    expect(listed.stdout).toMatch(/ EXTENSION - pg_trgm/);
    const restored = run(scriptWith('pg_restore --exit-on-error'), 'restored');
    expect([restored.status, restored.stderr]).toEqual([0, '']);
    await withClient(postgres.url('app', 'restored'), async (client) => {
      const { rowCount } = await client.query(
        "SELECT FROM pg_indexes WHERE indexname = 'account_names'",
      );
      expect(rowCount).toBe(1);
    });
    const verified = run(scriptWith('admin.js verify'), 'restored');
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    expect(verified.stdout).toBe('1 datagrids, 0 problems, 0 repaired\n');
    const again = await ServiceProcess.ready({
      DATABASE_URL: postgres.url('service', 'restored'),
    });
    const after = await new ApiClient(await again.origin(), String(key)).get(
      `${grid}/rows?limit=200`,
    );
    expect([after.status, after.body]).toEqual([200, before.body]);
    expect(await again.stop()).toBe(0);
  });
});
