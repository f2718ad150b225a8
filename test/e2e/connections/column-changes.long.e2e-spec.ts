import { join } from 'node:path';
import { readTable as readClickhouse } from '../../connections/clickhouse-server';
import { createFiles, readTable as readDuckdb } from '../../connections/duckdb-files';
import { readTable as readIceberg } from '../../connections/iceberg-tables';
import { readTable as readMysql } from '../../connections/mysql-server';
import { createDirectory, readParquetTable } from '../../connections/parquet-files';
import { readTable as readSnowflake, withSession } from '../../connections/snowflake-server';
import {
  ClickhouseEngine,
  describeWithClickhouse,
} from '../../support/clickhouse/clickhouse-engine';
import { describeMariadb, MariadbServer } from '../../support/mariadb-server';
import { describeWithIceberg, IcebergServer } from '../../support/iceberg/iceberg-server';
import {
  describeWithSnowflake,
  SnowflakeEmulator,
} from '../../support/snowflake/snowflake-emulator';
import { describeColumnChanges } from './column-changes-contract';
import { Warehouse } from './warehouse';

describe('a connection to PostgreSQL whose columns change', () => {
  describeColumnChanges(async () => {
    const warehouse = await Warehouse.start();
    return {
      type: 'postgresql',
      connection: { settings: warehouse.settings('columns'), secret: warehouse.password },
      read: async (table) => {
        const rows = await warehouse.read('columns', table);
        return (
          rows?.map(({ id, revision, values }) => ({ _id: id, _revision: revision, ...values })) ??
          null
        );
      },
      identify: async (table) => {
        const { rows } = await warehouse.sql.query(
          `SELECT '"columns"."${table}"'::regclass::oid AS oid`,
        );
        return rows;
      },
      close: () => warehouse.close(),
    };
  });
});

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

const INTERVAL_SECONDS = 300;

describe('a connection to Parquet files whose columns change', () => {
  describeColumnChanges(async () => {
    const files = await createDirectory();
    return {
      type: 'parquet',
      service: { CONNECTION_FILES_DIR: files.directory },
      connection: {
        settings: { storage: 'directory', directory: 'lake' },
        intervalSeconds: INTERVAL_SECONDS,
      },
      read: (table, { accountId }) =>
        readParquetTable(join(files.directory, accountId, 'lake', table)),
      close: () => files.remove(),
    };
  });
});

describeWithIceberg('a connection to Apache Iceberg whose columns change', () => {
  describeColumnChanges(async () => {
    const server = await IcebergServer.start();
    return {
      type: 'iceberg',
      connection: {
        settings: server.settings,
        secret: JSON.stringify({ s3: server.secretAccessKey }),
        intervalSeconds: INTERVAL_SECONDS,
      },
      read: (table) => readIceberg(server, table),
      close: () => server.close(),
    };
  });
});

describeWithSnowflake('a connection to Snowflake whose columns change', () => {
  describeColumnChanges(async () => {
    const emulator = await SnowflakeEmulator.start();
    const { user, database, schema, port } = emulator;
    return {
      type: 'snowflake',
      connection: {
        settings: {
          ...{ account: 'myorg-myaccount', user, warehouse: 'WH', database, schema },
          url: `http://127.0.0.1:${String(port)}`,
        },
        secret: emulator.privateKey,
      },
      read: (table) => withSession(emulator, (session) => readSnowflake(session, table)),
      close: () => emulator.stop(),
    };
  });
});

describe('a connection to a DuckDB file whose columns change', () => {
  describeColumnChanges(async () => {
    const files = await createFiles();
    return {
      type: 'duckdb',
      service: { CONNECTION_FILES_DIR: files.directory },
      connection: { settings: { file: 'columns' } },
      read: (table, { accountId }) => readDuckdb(files.path(accountId, 'columns'), table),
      close: () => files.remove(),
    };
  });
});
