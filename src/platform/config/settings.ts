import { z } from 'zod';
import { addressList } from './address-list';

/** About 24 days. */
const MAX_WINDOW_SECONDS = 2_147_483;
/** PostgreSQL's maximum for timeouts. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
/** Structured fields, such as `RateLimit`, allow integers of up to 15 digits (RFC 9651). */
const MAX_REQUESTS = 10 ** 15 - 1;
const LARGEST_PAGE_BYTES = 256 * 1024 * 1024;

const positiveWhole = z
  .string()
  .regex(/^[1-9]\d*$/, 'must be a positive integer')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be a positive integer below 2^53');

/** A time that timers support: below 2^31 ms. Timers with a longer delay fire immediately. */
const windowSeconds = positiveWhole.refine(
  (value) => value <= MAX_WINDOW_SECONDS,
  `must be a number of seconds up to ${String(MAX_WINDOW_SECONDS)}`,
);

const timeoutMs = positiveWhole.refine(
  (value) => value <= MAX_TIMEOUT_MS,
  `must be a number of milliseconds up to ${String(MAX_TIMEOUT_MS)}`,
);

const requests = positiveWhole.refine(
  (value) => value <= MAX_REQUESTS,
  `must be a number of requests up to ${String(MAX_REQUESTS)}`,
);

const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port from 0 to 65535')
  .transform(Number)
  .refine((value) => value <= 65_535, 'must be a port from 0 to 65535');

const databaseUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, {
    error: 'must be a URL that starts with postgres:// or postgresql://',
    abort: true,
  })
  // The URL of a Unix socket has no host.
  .refine(
    (text) => URL.canParse(text.replace('@/', '@host/')),
    'must be a URL, with a port of digits',
  );

const redisUrl = z
  .string()
  .refine(
    (text) => URL.canParse(text) && /^rediss?:\/\/[^/]+(\/\d*)?$/.test(text),
    'must be a URL such as redis://user:password@host:6379/0, or one with rediss://',
  );

/** An origin. The service defines everything after it. */
const publicUrl = z
  .string()
  .refine(
    (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text,
    'must be an origin such as https://data.example.com, with nothing behind it',
  );

const httpUrl = z
  .string()
  .refine(
    (text) => /^https?:\/\//.test(text) && URL.canParse(text),
    'must be a URL such as http://localhost:4318',
  );

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const ON_OR_OFF = ['on', 'off'] as const;
const onOrOff = z.enum(ON_OR_OFF, `must be one of ${ON_OR_OFF.join(', ')}`);

/** A larger batch would hold a datagrid's lock for too long. */
const importBatchRows = positiveWhole.refine(
  (value) => value <= 50_000,
  'must be a number of rows up to 50000',
);

/**
 * PostgreSQL's COPY prints at most 1,664 columns per CSV line, including the columns to sort by.
 */
const MAX_COPIED_COLUMNS = 1_600;
const columns = positiveWhole.refine(
  (value) => value <= MAX_COPIED_COLUMNS,
  `must be a number of columns up to ${String(MAX_COPIED_COLUMNS)}`,
);

/** The longest string that Node supports has about 512 MB. */
const pageBytes = positiveWhole.refine(
  (value) => value <= LARGEST_PAGE_BYTES,
  `must be a number of bytes up to ${String(LARGEST_PAGE_BYTES)}`,
);

const days = positiveWhole.refine((value) => value <= 3_650, 'must be at most 3650 days');

/** All settings with their formats and defaults. `.env.example` describes each of them. */
export const settings = z.object({
  PORT: port.default(3000),
  HOST: z.string().optional(),
  METRICS_PORT: port.optional(),
  METRICS_HOST: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  PUBLIC_URL: publicUrl.optional(),
  TLS_CERT_FILE: z.string().optional(),
  TLS_KEY_FILE: z.string().optional(),
  REQUIRE_HTTPS: onOrOff.default('off'),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_DIRECT_URL: databaseUrl.optional(),
  DATABASE_REPLICA_URL: databaseUrl.optional(),
  PREPARED_STATEMENTS: onOrOff.default('on'),
  DATA_DIR: z.string().default('.data'),
  DATABASE_POOL_SIZE: positiveWhole.default(10),
  DATABASE_ACQUIRE_TIMEOUT_MS: timeoutMs.default(5_000),
  DATABASE_MAX_WAITING: positiveWhole.default(500),
  LOCK_TIMEOUT_MS: timeoutMs.default(5_000),
  STATEMENT_TIMEOUT_MS: timeoutMs.default(30_000),
  IDLE_TRANSACTION_TIMEOUT_MS: timeoutMs.default(10_000),
  REDIS_URL: redisUrl.optional(),
  RATE_LIMIT_REQUESTS: requests.default(600),
  RATE_LIMIT_WINDOW_SECONDS: windowSeconds.default(60),
  ACCOUNT_RATE_LIMIT_REQUESTS: requests.optional(),
  PUBLIC_RATE_LIMIT_REQUESTS: requests.default(600),
  AUTH_FAILURE_LIMIT: requests.default(60),
  AUTH_FAILURE_WINDOW_SECONDS: windowSeconds.default(60),
  SIGN_IN_LIMIT: requests.default(10),
  SIGN_IN_ADDRESS_LIMIT: requests.default(50),
  SIGN_IN_WINDOW_SECONDS: windowSeconds.default(300),
  MAX_BODY_BYTES: positiveWhole.default(10 * 1024 * 1024),
  MAX_ROW_BYTES: positiveWhole.default(1024 * 1024),
  MAX_PAGE_BYTES: pageBytes.default(32 * 1024 * 1024),
  MAX_BATCH_BYTES: pageBytes.default(16 * 1024 * 1024),
  MAX_COLUMNS: columns.default(500),
  MAX_COLUMN_METADATA_BYTES: positiveWhole.default(1024 * 1024),
  MAX_IDEMPOTENCY_BYTES: positiveWhole.default(1024 * 1024 * 1024),
  QUERY_TIMEOUT_MS: timeoutMs.default(5_000),
  MAX_CONCURRENT_EXPORTS: positiveWhole.default(2),
  EXPORT_TIMEOUT_SECONDS: windowSeconds.default(3_600),
  EXPORT_QUERY_TIMEOUT_SECONDS: windowSeconds.default(300),
  MAX_EXPORT_SPOOL_BYTES: positiveWhole.default(1024 * 1024 * 1024),
  MAX_SPOOL_BYTES: positiveWhole.default(2 * 1024 * 1024 * 1024),
  MIN_STREAM_BYTES_PER_SECOND: positiveWhole.default(1024),
  MAX_STREAM_STALL_SECONDS: windowSeconds.default(30),
  TRASH_RETENTION_DAYS: days.default(7),
  QUOTA_WORKSPACES: positiveWhole.optional(),
  QUOTA_DATAGRIDS: positiveWhole.optional(),
  QUOTA_ROWS: positiveWhole.optional(),
  MAX_KEYS_PER_USER: positiveWhole.default(25),
  MAX_USERS_PER_ACCOUNT: positiveWhole.default(1_000),
  MAX_AUDIT_EVENTS: positiveWhole.default(1_000_000),
  AUDIT_RETENTION_DAYS: days.default(365),
  IMPORT_BATCH_ROWS: importBatchRows.default(5_000),
  MAX_CONCURRENT_IMPORTS: positiveWhole.default(4),
  HEADERS_TIMEOUT_SECONDS: windowSeconds.default(20),
  REQUEST_TIMEOUT_SECONDS: windowSeconds.default(60),
  MAX_BUFFERED_BYTES: positiveWhole.default(256 * 1024 * 1024),
  MAX_CONNECTIONS: positiveWhole.default(4_000),
  MAX_CONCURRENT_REQUESTS: positiveWhole.default(200),
  MAX_EVENT_LOOP_DELAY_MS: timeoutMs.default(50),
  COMPRESSION: onOrOff.default('on'),
  SHUTDOWN_GRACE_SECONDS: positiveWhole.default(20),
  SLOW_REQUEST_MS: timeoutMs.default(1_000),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  TRUSTED_PROXIES: addressList.default([]),
});

export type Settings = z.output<typeof settings>;
