import { PostgresServer } from '../faults/support/postgres-server';
import { withClient } from '../support/database-url';
import { describeKills } from './kill-contract';
import { postgresqlUnderTest } from './postgresql-server';

describe('a PostgreSQL destination whose worker or server is killed', () => {
  describeKills(
    async () => {
      const server = await PostgresServer.start({ fsync: 'off' });
      const under = await postgresqlUnderTest(server.url, () => server.remove());
      const { port, target } = under.bridge;
      return {
        under,
        module: require.resolve('./postgresql-server'),
        login: { port, target },
        ways: {
          server: async () => {
            await server.kill();
            await server.start();
          },
        },
        countLoads: () =>
          withClient(server.url, async (client) => {
            const { rowCount } = await client.query(
              String.raw`SELECT FROM pg_class WHERE relkind = 'r' AND relname LIKE '\_datagrid\_load\_%'`,
            );
            return rowCount ?? 0;
          }),
      };
    },
    { canFreeze: true },
  );
});
