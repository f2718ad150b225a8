import { z } from 'zod';
import {
  addressList,
  columns,
  databaseUrl,
  days,
  daysOrOff,
  httpUrl,
  importBatchRows,
  logLevel,
  milliseconds,
  onOrOff,
  pageBytes,
  port,
  positiveInteger,
  publicUrl,
  redisUrl,
  requests,
  seconds,
  setting,
} from './setting-types';
import { CONNECTION_SETTINGS, WEBHOOK_SETTINGS } from './outgoing-settings';

/**
 * All settings by subject. `npm run settings` writes their names, defaults and descriptions to
 * `.env.example` and `docs/operations/settings.md`. `AppConfig` has a property for each.
 */
export const SETTINGS_BY_SUBJECT = {
  Server: {
    PORT: setting(port.default(3000), 'Port to listen on; `0` picks a free port and logs it.'),
    HOST: setting(z.string().optional(), 'Address to listen on.', {
      means: 'all addresses',
      example: '127.0.0.1',
    }),
    PUBLIC_URL: setting(
      publicUrl.optional(),
      'URL at which browsers reach the service, for links and cookies of the console. Without it, invite links and public links can be created for localhost only.',
      { means: 'none', example: 'https://data.example.com' },
    ),
    TRUSTED_PROXIES: setting(
      addressList.default([]),
      'Addresses and CIDR ranges of trusted proxies, separated by commas. `X-Forwarded-For` and `X-Forwarded-Proto` are used only if they come from these.',
      { means: 'none', example: '10.0.0.0/8,192.168.0.1' },
    ),
    TLS_CERT_FILE: setting(
      z.string().optional(),
      'Certificate with its chain (PEM file). If set, the service accepts only HTTPS, and reloads certificate and key when they change; see HTTPS.',
      { means: 'none', example: '/etc/datagrid/tls/tls.crt' },
    ),
    TLS_KEY_FILE: setting(z.string().optional(), 'Private key of that certificate (PEM file).', {
      means: 'none',
      example: '/etc/datagrid/tls/tls.key',
    }),
    SECRETS_KEY_FILE: setting(
      z.string().optional(),
      'File with the keys that seal secrets in the database, such as those of webhooks, connections, authenticator apps and OpenID providers; see Secrets at rest. Without it, they are stored in clear, except in the embedded PostgreSQL, for which `DATA_DIR/secrets.keys` is created.',
      {
        means: 'none, or a file in `DATA_DIR`',
        example: '/etc/datagrid/keys/secrets.keys',
      },
    ),
    REQUIRE_HTTPS: setting(
      onOrOff.default(false),
      '`on` rejects requests over plain HTTP, except health probes. Behind a proxy, also set `TRUSTED_PROXIES`.',
    ),
    COMPRESSION: setting(
      onOrOff.default(true),
      '`on` compresses large responses if the client accepts it; `off` never does.',
    ),
    MCP: setting(
      onOrOff.default(true),
      '`on` serves the API to language models at `/mcp`, by the Model Context Protocol; `off` does not.',
    ),
    SHUTDOWN_GRACE_SECONDS: setting(
      positiveInteger.default(20),
      'Time in seconds that requests in progress have to finish when the service stops.',
    ),
  },
  Database: {
    DATABASE_URL: setting(
      databaseUrl.optional(),
      'URL of a PostgreSQL 15 or newer. The embedded one needs no installation; see PostgreSQL.',
      { means: 'embedded PostgreSQL', example: 'postgres://user:password@localhost:5432/datagrid' },
    ),
    DATABASE_DIRECT_URL: setting(
      databaseUrl.optional(),
      'URL that leads straight to the same PostgreSQL. Required if `DATABASE_URL` leads to a pooler that shares sessions between transactions; see Poolers.',
      { means: 'none', example: 'postgres://user:password@localhost:5432/datagrid' },
    ),
    DATABASE_REPLICA_URL: setting(
      databaseUrl.optional(),
      'One streaming replica, for reads whose request allows stale data; see Read replica.',
      { means: 'none', example: 'postgres://user:password@replica:5432/datagrid' },
    ),
    PREPARED_STATEMENTS: setting(
      onOrOff.default(true),
      '`off` is for poolers that do not support prepared statements, such as PgBouncer before 1.21; see Poolers.',
    ),
    DATA_DIR: setting(
      z.string().default('.data'),
      'Directory of the embedded PostgreSQL and its `secrets.keys`. Has no effect if `DATABASE_URL` is set.',
    ),
    DATABASE_POOL_SIZE: setting(
      positiveInteger.default(10),
      'Connections in each of the two pools of an instance: for filtered and sorted reads, and for all other requests; see Connections.',
    ),
    DATABASE_ACQUIRE_TIMEOUT_MS: setting(
      milliseconds.default(5_000),
      'Time in milliseconds that a request waits for a connection before it returns 503, or 429 if its account has used its share.',
    ),
    LOCK_TIMEOUT_MS: setting(
      milliseconds.default(5_000),
      'Time in milliseconds that a write or a command waits for a lock. A write then returns 503.',
    ),
    STATEMENT_TIMEOUT_MS: setting(
      milliseconds.default(30_000),
      'Time in milliseconds that a statement may take before its request returns 503. Does not apply to commands and migrations, nor to queries and exports, which have `QUERY_TIMEOUT_MS` and `EXPORT_TIMEOUT_SECONDS`.',
    ),
    QUERY_TIMEOUT_MS: setting(
      milliseconds.default(5_000),
      'Time in milliseconds that a filtered or sorted read may take before it returns 400.',
    ),
  },
  'Rate limits and sign-in': {
    REDIS_URL: setting(
      redisUrl.optional(),
      'Redis that counts requests of all instances together; see Rate limits. Without it, each instance counts for itself. `rediss://` uses TLS; to trust your own authority, set `NODE_EXTRA_CA_CERTS`.',
      { means: 'none', example: 'redis://user:password@localhost:6379/0' },
    ),
    RATE_LIMIT_REQUESTS: setting(
      requests.default(600),
      'Requests of one API key in a window, over all routes.',
    ),
    RATE_LIMIT_WINDOW_SECONDS: setting(seconds.default(60), 'Length of that window in seconds.'),
    ACCOUNT_RATE_LIMIT_REQUESTS: setting(
      requests.optional(),
      'Requests of all keys and users of one account in that window.',
      { means: '10 × `RATE_LIMIT_REQUESTS`', example: '6000' },
    ),
    PUBLIC_RATE_LIMIT_REQUESTS: setting(
      requests.default(600),
      'Requests without a key or session from one client address in that window. Pages and files of the console and `/docs` have a separate limit, 10 times as high. `/health` has none.',
    ),
    AUTH_FAILURE_LIMIT: setting(
      requests.default(60),
      'Requests without a valid key from one client address in a minute. Valid keys are not affected.',
    ),
    SIGN_IN_LIMIT: setting(
      requests.default(10),
      'Failed sign-ins of one email address in a window of 5 minutes. Beyond the limit the right password is rejected as well, until the window ends.',
    ),
    SIGN_IN_ADDRESS_LIMIT: setting(
      requests.default(50),
      'Failed sign-ins from one client address in that window.',
    ),
  },
  Sizes: {
    MAX_BODY_BYTES: setting(
      positiveInteger.default(10 * 1024 * 1024),
      'Maximum size of a request body, also after decompression (10 MiB).',
    ),
    MAX_ROW_BYTES: setting(
      positiveInteger.default(1024 * 1024),
      'Maximum size of a row, as the JSON of its values (1 MiB).',
    ),
    MAX_PAGE_BYTES: setting(
      pageBytes.default(32 * 1024 * 1024),
      'Maximum size of a page of rows, as JSON (32 MiB); up to 256 MiB. Should hold some of the largest rows.',
    ),
    MAX_BATCH_BYTES: setting(
      pageBytes.default(16 * 1024 * 1024),
      'Maximum size of all rows that a batch or upsert reads, and of its results (16 MiB); up to 256 MiB.',
    ),
    MAX_IDEMPOTENCY_BYTES: setting(
      positiveInteger.default(1024 * 1024 * 1024),
      'Maximum size of the stored responses of one account to requests with an `Idempotency-Key`, kept for 24 h (1 GiB). New keys then return 429.',
    ),
    MAX_COLUMNS: setting(
      columns.default(500),
      'Maximum number of columns of a datagrid; up to 1600.',
    ),
    COLUMNAR_DIR: setting(
      z.string().optional(),
      'Directory for columnar copies of large datagrids, which make scans fast, and for SQL, on a local disk. Each instance creates a subdirectory in it. Instances in different containers must not share it. Without it, there are no copies and no SQL, except with the embedded PostgreSQL, for which it is `DATA_DIR/columnar`.',
      { means: 'none, or a directory in `DATA_DIR`', example: '/var/lib/datagrid/columnar' },
    ),
    MAX_COLUMNAR_BYTES: setting(
      positiveInteger.default(10 * 1024 ** 3),
      'Maximum size of the columnar copies of the instance, with those of SQL (10 GiB), and at most half of the free disk. If a copy needs room, the account with the most bytes loses its least recently used copy.',
    ),
  },
  'Quotas and retention': {
    QUOTA_WORKSPACES: setting(
      positiveInteger.optional(),
      'Workspaces of one account, not counting the trash; more returns 403; see Quotas.',
      { means: 'no limit', example: '100' },
    ),
    QUOTA_DATAGRIDS: setting(
      positiveInteger.optional(),
      'Datagrids of one account, not counting the trash.',
      { means: 'no limit', example: '1000' },
    ),
    QUOTA_ROWS: setting(
      positiveInteger.optional(),
      'Rows of one account in all its datagrids, not counting the trash.',
      { means: 'no limit', example: '10000000' },
    ),
    MAX_KEYS_PER_USER: setting(
      positiveInteger.default(25),
      'Active API keys of one user; more returns 403.',
    ),
    MAX_USERS_PER_ACCOUNT: setting(
      positiveInteger.default(1_000),
      'Users of one account, including suspended ones; more returns 403.',
    ),
    TRASH_RETENTION_DAYS: setting(
      days.default(7),
      'Days in which a deleted workspace, datagrid or row can be restored.',
    ),
    CHANGE_RETENTION_DAYS: setting(
      days.default(7),
      'Days for which the changes of a datagrid can be read after they were made.',
    ),
    MAX_CHANGE_RETENTION_DAYS: setting(
      days.default(30),
      'Days for which changes are kept that an enabled webhook has not sent. Older ones are deleted, and the webhook sends `changes.gap`.',
    ),
    HISTORY_RETENTION_DAYS: setting(
      days.default(90),
      'Days for which earlier versions of rows are kept after they were replaced.',
    ),
    MAX_HISTORY_VERSIONS: setting(
      positiveInteger.default(1_000_000),
      'Maximum number of earlier versions of all rows of one datagrid, including deleted rows; the oldest are deleted first.',
    ),
    AUDIT_RETENTION_DAYS: setting(days.default(365), 'Days for which audit events are kept.'),
    MAX_AUDIT_EVENTS: setting(
      positiveInteger.default(1_000_000),
      'Maximum number of audit events of one account; the oldest are deleted first.',
    ),
    REQUEST_LOG_RETENTION_DAYS: setting(
      daysOrOff.default(3),
      'Days for which the requests of API keys are kept in the request log; `0` switches it off.',
    ),
    MAX_REQUEST_LOG_ENTRIES: setting(
      positiveInteger.default(10_000),
      'Maximum number of requests in the request log of one account; the oldest are deleted first.',
    ),
  },
  'Import and export': {
    MAX_CONCURRENT_IMPORTS: setting(
      positiveInteger.default(4),
      'Imports that one instance runs at a time; one account may use half of them. More wait for up to 5 s and then return 503, or 429 if the account has used its share.',
    ),
    IMPORT_BATCH_ROWS: setting(
      importBatchRows.default(5_000),
      "Rows that an import writes in one transaction, under the datagrid's lock; up to 50000. A smaller file is all or nothing.",
    ),
    MAX_CONCURRENT_EXPORTS: setting(
      positiveInteger.default(2),
      'Exports that one instance reads from PostgreSQL at a time; one account may use half of them. More wait as imports do. Four times as many may wait for slow clients.',
    ),
    EXPORT_TIMEOUT_SECONDS: setting(
      seconds.default(3_600),
      'Time in seconds that an export may take until its last byte is sent.',
    ),
    MAX_SPOOL_BYTES: setting(
      positiveInteger.default(2 * 1024 * 1024 * 1024),
      "Disk space, in the system's temporary directory (`TMPDIR`), of the exports of one instance whose clients read slowly (2 GiB); one account may use half of it.",
    ),
    MIN_STREAM_BYTES_PER_SECOND: setting(
      positiveInteger.default(1024),
      'Rate in bytes per second at which the client of an import must send, or of an export must read. In total, it may pause for 30 seconds.',
    ),
  },
  Webhooks: WEBHOOK_SETTINGS,
  Connections: CONNECTION_SETTINGS,
  Load: {
    MAX_CONCURRENT_REQUESTS: setting(
      positiveInteger.default(200),
      'Requests in progress in one instance; more return 503. One account may use half of them; more return 429.',
    ),
    MAX_LIVE_READERS: setting(
      positiveInteger.default(2_000),
      'Clients of one instance that wait for changes, as a long poll or a stream of events; more return 503. One account may have half of them; more return 429.',
    ),
    MAX_CONNECTIONS: setting(
      positiveInteger.default(4_000),
      'Client connections of one instance; fewer if `ulimit -n` requires it. Beyond the limit idle ones are closed.',
    ),
    MAX_BUFFERED_BYTES: setting(
      positiveInteger.default(256 * 1024 * 1024),
      'Memory for large bodies being received, and as much for large responses being read (256 MiB). Beyond it requests return 503; beyond half of it for one account, 429.',
    ),
    REQUEST_TIMEOUT_SECONDS: setting(
      seconds.default(60),
      'Time in seconds in which a whole request must arrive, and for which a client may leave a response unread. Otherwise the service responds with 408, if it still can, and closes the connection.',
    ),
  },
  'Logs, metrics and traces': {
    LOG_LEVEL: setting(
      logLevel.default('info'),
      'Lowest level that is logged: `fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
    ),
    SLOW_REQUEST_MS: setting(
      milliseconds.default(1_000),
      'Duration in milliseconds from which the log line of a request is a warning that says where its time went; see Logs.',
    ),
    METRICS_PORT: setting(
      port.optional(),
      'Port of the metrics for Prometheus, at `/metrics`. Allow only Prometheus to reach it; see Metrics.',
      { means: 'no metrics', example: '9464' },
    ),
    METRICS_HOST: setting(z.string().optional(), 'Address of the metrics.', {
      means: 'value of `HOST`',
      example: '127.0.0.1',
    }),
    OTEL_EXPORTER_OTLP_ENDPOINT: setting(
      httpUrl.optional(),
      "Endpoint for traces, by OTLP over HTTP. OpenTelemetry's other variables, such as `OTEL_SERVICE_NAME`, apply as well; see Traces.",
      { means: 'no traces', example: 'http://localhost:4318' },
    ),
  },
};

/** Schema of all settings. */
export const settings = z.object({
  ...SETTINGS_BY_SUBJECT.Server,
  ...SETTINGS_BY_SUBJECT.Database,
  ...SETTINGS_BY_SUBJECT['Rate limits and sign-in'],
  ...SETTINGS_BY_SUBJECT.Sizes,
  ...SETTINGS_BY_SUBJECT['Quotas and retention'],
  ...SETTINGS_BY_SUBJECT['Import and export'],
  ...SETTINGS_BY_SUBJECT.Webhooks,
  ...SETTINGS_BY_SUBJECT.Connections,
  ...SETTINGS_BY_SUBJECT.Load,
  ...SETTINGS_BY_SUBJECT['Logs, metrics and traces'],
});

export type Settings = z.output<typeof settings>;
