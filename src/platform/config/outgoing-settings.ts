import { z } from 'zod';
import { addressList, days, duckdbBytes, positiveInteger, seconds, setting } from './setting-types';

/** Settings of the deliveries of webhooks. */
export const WEBHOOK_SETTINGS = {
  MAX_WEBHOOKS_PER_ACCOUNT: setting(
    positiveInteger.default(50),
    'Webhooks of one account; more returns 403.',
  ),
  MAX_WEBHOOK_DATAGRIDS_PER_ACCOUNT: setting(
    positiveInteger.default(20_000),
    'Datagrids of all webhooks of one account, each counted once for each webhook. A new or changed webhook that exceeds it returns 403. New datagrids do not.',
  ),
  MAX_CONCURRENT_DELIVERIES: setting(
    positiveInteger.default(32),
    'Deliveries that one instance sends at a time; one account may use half of them. In addition, a quarter of this number is reserved for endpoints that are new or whose last delivery failed.',
  ),
  MAX_DELIVERIES_PER_SECOND: setting(
    positiveInteger.default(200),
    'Deliveries of one account that one instance sends in a second. Those beyond wait, and are gathered.',
  ),
  WEBHOOK_DISABLE_AFTER_HOURS: setting(
    positiveInteger.default(120),
    'Time in hours for which a delivery is retried. After that its webhook is disabled.',
  ),
  WEBHOOK_ALLOWED_PRIVATE_RANGES: setting(
    addressList.default([]),
    'Private addresses and CIDR ranges that webhooks may lead to, separated by commas. Only these may be reached over plain HTTP. Use it for trials and internal endpoints. A webhook with `http://` and a host name is accepted; its deliveries fail if the name leads to another address.',
    { means: 'none', example: '10.0.0.0/8,192.168.0.1' },
  ),
  WEBHOOK_LOG_RETENTION_DAYS: setting(
    days.default(7),
    'Days for which attempts to deliver are kept.',
  ),
};

/** Settings of connections. */
export const CONNECTION_SETTINGS = {
  MAX_CONNECTIONS_PER_ACCOUNT: setting(
    positiveInteger.default(20),
    'Connections of one account; more returns 403.',
  ),
  MAX_CONNECTION_TABLES_PER_ACCOUNT: setting(
    positiveInteger.default(1_000),
    'Tables of all connections of one account. A new or changed connection that exceeds it returns 403.',
  ),
  MAX_CONCURRENT_SYNCS: setting(
    positiveInteger.default(4),
    'Tables that one instance syncs at a time; one account may use half of them. Three times as many may sync to slow destinations.',
  ),
  MAX_SCHEDULED_IMPORTS_PER_ACCOUNT: setting(
    positiveInteger.default(100),
    'Scheduled imports of all connections of one account; more returns 403.',
  ),
  MAX_CONCURRENT_SCHEDULED_IMPORTS: setting(
    positiveInteger.default(4),
    'Scheduled imports that one instance runs at a time; one account may use half of them. While rows are written, each also counts in `MAX_CONCURRENT_IMPORTS`.',
  ),
  SCHEDULED_IMPORT_TIMEOUT_SECONDS: setting(
    seconds.default(3_600),
    'Time in seconds that the query of a scheduled import may take, from its start to its last row.',
  ),
  MAX_SCHEDULED_IMPORT_ROWS: setting(
    positiveInteger.default(10_000_000),
    'Rows that a scheduled import reads in one run. A result with more fails the run; rows that were written before stay.',
  ),
  CONNECTION_ALLOWED_PRIVATE_RANGES: setting(
    addressList.default([]),
    'Private addresses and CIDR ranges that connections and identity providers may lead to, separated by commas. Only these may be reached without TLS.',
    { means: 'none', example: '10.0.0.0/8,192.168.0.1' },
  ),
  CONNECTION_RUN_RETENTION_DAYS: setting(
    days.default(30),
    'Days for which the runs of connections and of scheduled imports are kept.',
  ),
  CONNECTION_FILES_DIR: setting(
    z.string().optional(),
    'Directory of the DuckDB and Parquet files that connections write, with a directory for each account. Must be on a local disk of one instance. Without it, connections cannot write files, except with the embedded PostgreSQL, for which it is `DATA_DIR/connections`.',
    {
      means: 'none, or a directory in `DATA_DIR`',
      example: '/var/lib/datagrid/connections',
    },
  ),
  MAX_CONNECTION_FILES_BYTES: setting(
    positiveInteger.default(10 * 1024 ** 3),
    'Size of the DuckDB and Parquet files of one account (10 GiB). Beyond it, its syncs to files fail. The part that is being written can exceed it. The temporary files of its syncs to buckets and to Iceberg have the same limit of their own.',
  ),
  MAX_DUCKDB_MEMORY_BYTES: setting(
    duckdbBytes.default(512 * 1024 * 1024),
    'Memory for the data of each DuckDB file that is open, and of each table of Parquet files that is synced (512 MiB); at least 128 MiB. Its process needs up to 200 MiB more, and is ended beyond that (on Linux).',
  ),
};
