import { withClient } from '../support/database-url';
import { describePgBouncer, PgBouncer } from '../support/pg-bouncer';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { describeHelm, POOLED, render } from './helm';
import { only } from './manifests';

const PASSWORD = 'correct-horse';

/** Returns the configuration of the chart, for clients with or without prepared statements. */
function configuration(preparedStatements: boolean): string {
  const objects = render({ ...POOLED, settings: { PREPARED_STATEMENTS: preparedStatements } });
  const named = objects.filter(({ metadata }) => metadata.name === 'datagrid-pgbouncer');
  return only(named, 'ConfigMap').data['pgbouncer.ini'];
}

/** Replaces what differs between a cluster and a test: addresses and paths. */
const local = (config: string, directory: string, { url }: TestDatabase): string =>
  config
    .replace(/^datagrid = .*$/m, () => {
      const { searchParams, pathname } = new URL(url.replace('@/', '@host/'));
      const [host = '', port = ''] = ['host', 'port'].map((name) => searchParams.get(name) ?? '');
      return `datagrid = host=${host} port=${port} dbname=${pathname.slice(1)}`;
    })
    .replace(/^listen_addr = .*$/m, 'listen_addr =')
    .replace(/^unix_socket_dir =.*$/m, `unix_socket_dir = ${directory}`)
    .replace(/^auth_file = .*$/m, `auth_file = ${directory}/users.txt`);

describeHelm('the configuration of PgBouncer in the Helm chart', () => {
  it('lets clients prepare statements unless they are switched off', () => {
    expect(configuration(true)).toMatch(/^max_prepared_statements = 500$/m);
    expect(configuration(false)).not.toContain('max_prepared_statements');
  });

  // Debian's PgBouncer 1.18 does not know max_prepared_statements.
  describePgBouncer('of a PgBouncer without prepared statements', () => {
    let database: TestDatabase;
    let bouncer: PgBouncer;

    beforeAll(async () => {
      database = await createTestDatabase();
      bouncer = await PgBouncer.startWith(
        database.url,
        (directory) => local(configuration(false), directory, database),
        `"app" "${PASSWORD}"\n`,
      );
    });

    afterAll(async () => {
      await bouncer.stop();
      await database.drop();
    });

    it('is accepted by PgBouncer, and lets users with their password in, and no others', async () => {
      const url = bouncer.through('postgres://app@/datagrid', `app:${PASSWORD}`);
      const tables = await withClient(url, async (client) => {
        const { rows } = await client.query<{ count: number }>(
          "SELECT count(*)::int AS count FROM pg_tables WHERE schemaname = 'public'",
        );
        return rows[0]?.count;
      });
      expect(tables).toBeGreaterThan(10);
      const wrong = bouncer.through('postgres://app@/datagrid', 'app:wrong');
      await expect(withClient(wrong, () => Promise.resolve())).rejects.toThrow(/SASL|password/);
    });
  });
});
