import { readTable as readClickhouse } from '../../connections/clickhouse-server';
import { readTable as readMysql } from '../../connections/mysql-server';
import {
  ClickhouseEngine,
  describeWithClickhouse,
} from '../../support/clickhouse/clickhouse-engine';
import { describeMariadb, MariadbServer } from '../../support/mariadb-server';
import { describeColumnChanges } from './column-changes-contract';

describeMariadb('a connection to MariaDB whose columns change', () => {
  describeColumnChanges(async () => {
    const server = await MariadbServer.start();
    const { port, user, database, password: secret } = server;
    return {
      type: 'mysql',
      connection: { settings: { host: '127.0.0.1', port, user, database, tls: false }, secret },
      read: async (table) => {
        const reader = await server.connect();
        try {
          return await readMysql(reader, table);
        } finally {
          reader.destroy();
        }
      },
      close: () => server.remove(),
    };
  });
});

describeWithClickhouse('a connection to ClickHouse whose columns change', () => {
  describeColumnChanges(async () => {
    const engine = await ClickhouseEngine.start();
    const { port, user, database, password: secret } = engine;
    return {
      type: 'clickhouse',
      connection: { settings: { host: '127.0.0.1', port, user, database, tls: false }, secret },
      read: (table) => readClickhouse(engine, table),
      close: () => engine.close(),
    };
  });
});
