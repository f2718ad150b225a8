import type { RowDataPacket } from 'mysql2';
import { describeMariadb, MariadbServer } from '../support/mariadb-server';
import { describeKills } from './kill-contract';
import { mysqlUnderTest } from './mysql-server';

describeMariadb('a MariaDB destination whose worker or server is killed', () => {
  describeKills(
    async () => {
      const server = await MariadbServer.start();
      const { user, password, database, port } = server;
      return {
        under: mysqlUnderTest(server),
        module: require.resolve('./mysql-server'),
        login: { user, password, database, port },
        ways: { server: () => server.restart() },
        countLoads: () =>
          server.asRoot(async (root) => {
            const [rows] = await root.query<RowDataPacket[]>(
              `SELECT 1 FROM information_schema.TABLES
               WHERE TABLE_SCHEMA = ? AND LEFT(TABLE_NAME, 15) = '_datagrid_load_'`,
              [database],
            );
            return rows.length;
          }),
      };
    },
    { kills: 5, canFreeze: true },
  );
});
