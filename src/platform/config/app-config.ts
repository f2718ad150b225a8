import { z } from 'zod';
import { addressList } from './address-list';

/** Some 24 days. */
const MOST_WINDOW_SECONDS = 2_147_483;
/** What PostgreSQL takes for a time. */
const MOST_TIMEOUT_MS = 2 ** 31 - 1;
/** Integers of structured fields, such as `RateLimit`, have 15 digits (RFC 9651). */
const MOST_REQUESTS = 10 ** 15 - 1;
const MOST_PAGE_BYTES = 256 * 1024 * 1024;

const positiveWhole = z
  .string()
  .regex(/^[1-9]\d*$/, 'must be a positive whole number')
  .transform(Number)
  .refine(Number.isSafeInteger, 'must be a positive whole number below 2^53');

/** A time that timers take: in milliseconds it is below 2^31. Beyond it they would fire at once. */
const windowSeconds = positiveWhole.refine(
  (value) => value <= MOST_WINDOW_SECONDS,
  `must be a number of seconds up to ${String(MOST_WINDOW_SECONDS)}`,
);

const timeoutMs = positiveWhole.refine(
  (value) => value <= MOST_TIMEOUT_MS,
  `must be a number of milliseconds up to ${String(MOST_TIMEOUT_MS)}`,
);

const requests = positiveWhole.refine(
  (value) => value <= MOST_REQUESTS,
  `must be a number of requests up to ${String(MOST_REQUESTS)}`,
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

/** An origin: what is behind it is the service's own. */
const publicUrl = z
  .string()
  .refine(
    (text) => /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text,
    'must be an origin such as https://data.example.com, with nothing behind it',
  );

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const ON_OR_OFF = ['on', 'off'] as const;

/** More would hold a datagrid's lock for too long. */
const importStepRows = positiveWhole.refine(
  (value) => value <= 50_000,
  'must be a number of rows up to 50000',
);

/** The longest text that Node can hold has some 512 MB. */
const pageBytes = positiveWhole.refine(
  (value) => value <= MOST_PAGE_BYTES,
  `must be a number of bytes up to ${String(MOST_PAGE_BYTES)}`,
);

const days = positiveWhole.refine((value) => value <= 3_650, 'must be at most 3650 days');

/** Every setting, its form and its default. `.env.example` says what each is for. */
const settings = z.object({
  PORT: port.default(3000),
  HOST: z.string().optional(),
  PUBLIC_URL: publicUrl.optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATA_DIR: z.string().default('.data'),
  DATABASE_POOL_SIZE: positiveWhole.default(10),
  DATABASE_WAIT_MS: timeoutMs.default(3_000),
  DATABASE_QUEUE_LIMIT: positiveWhole.default(500),
  LOCK_TIMEOUT_MS: timeoutMs.default(5_000),
  STATEMENT_TIMEOUT_MS: timeoutMs.default(30_000),
  IDLE_TRANSACTION_TIMEOUT_MS: timeoutMs.default(10_000),
  REDIS_URL: redisUrl.optional(),
  RATE_LIMIT_REQUESTS: requests.default(600),
  RATE_LIMIT_WINDOW_SECONDS: windowSeconds.default(60),
  AUTH_FAILURE_LIMIT: requests.default(60),
  AUTH_FAILURE_WINDOW_SECONDS: windowSeconds.default(60),
  SIGN_IN_LIMIT: requests.default(10),
  SIGN_IN_WINDOW_SECONDS: windowSeconds.default(300),
  BODY_LIMIT_BYTES: positiveWhole.default(10 * 1024 * 1024),
  ROW_LIMIT_BYTES: positiveWhole.default(1024 * 1024),
  PAGE_LIMIT_BYTES: pageBytes.default(32 * 1024 * 1024),
  COLUMN_LIMIT: positiveWhole.default(500),
  QUERY_BUDGET_MS: timeoutMs.default(5_000),
  EXPORT_CONCURRENCY: positiveWhole.default(2),
  EXPORT_SECONDS: windowSeconds.default(3_600),
  EXPORT_SPOOL_BYTES: positiveWhole.default(1024 * 1024 * 1024),
  TRASH_DAYS: days.default(7),
  IMPORT_STEP_ROWS: importStepRows.default(5_000),
  IMPORT_CONCURRENCY: positiveWhole.default(4),
  HEADERS_TIMEOUT_SECONDS: windowSeconds.default(20),
  CLIENT_TIMEOUT_SECONDS: windowSeconds.default(60),
  WORK_LIMIT: positiveWhole.default(200),
  EVENT_LOOP_DELAY_LIMIT_MS: timeoutMs.default(50),
  COMPRESSION: z.enum(ON_OR_OFF, `must be one of ${ON_OR_OFF.join(', ')}`).default('on'),
  SHUTDOWN_GRACE_SECONDS: positiveWhole.default(20),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  TRUSTED_PROXIES: addressList.default([]),
});

type Settings = z.output<typeof settings>;

/** The checked configuration; the one place settings are read from. */
export class AppConfig {
  readonly port!: number;
  /** Address to listen on; unset: all of them. */
  readonly host!: string | undefined;
  /** Where browsers reach the service, without a slash at its end; unset: not known. */
  readonly publicUrl!: string | undefined;
  /** Unset: the embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl!: string | undefined;
  readonly dataDir!: string;
  readonly databasePoolSize!: number;
  /** How long a request waits for a connection, and a connection for PostgreSQL. */
  readonly databaseWaitMs!: number;
  /** Requests that wait for a connection at a time, of each pool. */
  readonly databaseQueueLimit!: number;
  readonly lockTimeoutMs!: number;
  readonly statementTimeoutMs!: number;
  readonly idleTransactionTimeoutMs!: number;
  /** Unset: limits are counted by this process alone. */
  readonly redisUrl!: string | undefined;
  readonly rateLimitRequests!: number;
  readonly rateLimitWindowSeconds!: number;
  readonly authFailureLimit!: number;
  readonly authFailureWindowSeconds!: number;
  /** Failed sign-ins of one e-mail address, and those from one client address, in a window. */
  readonly signInLimit!: number;
  readonly signInWindowSeconds!: number;
  readonly bodyLimitBytes!: number;
  readonly rowLimitBytes!: number;
  /** The largest page of rows, as JSON. */
  readonly pageLimitBytes!: number;
  readonly columnLimit!: number;
  /** How long a filtered or sorted read may take, in milliseconds. */
  readonly queryBudgetMs!: number;
  /** Exports that this process carries out at a time. */
  readonly exportConcurrency!: number;
  /** How long an export may take, until its last byte is sent. */
  readonly exportSeconds!: number;
  /** What one export may keep on the disk for a slow reader. */
  readonly exportSpoolBytes!: number;
  /** How long a deletion can be taken back. */
  readonly trashDays!: number;
  /** Rows that an import writes at once; one of no more is all or nothing. */
  readonly importStepRows!: number;
  /** Imports that one process carries out at a time. */
  readonly importConcurrency!: number;
  /** In which a request's headers must have come. */
  readonly headersTimeoutSeconds!: number;
  /** In which a request must have come whole, and how long an answer may wait to be read. */
  readonly clientTimeoutSeconds!: number;
  /** Requests that this process works on at a time. */
  readonly workLimit!: number;
  /** How late its event loop may be before they are fewer. */
  readonly eventLoopDelayLimitMs!: number;
  /** Whether answers are compressed where the client asks. */
  readonly compression!: Settings['COMPRESSION'];
  readonly shutdownGraceSeconds!: number;
  readonly logLevel!: Settings['LOG_LEVEL'];
  /** Addresses and CIDR ranges whose `X-Forwarded-For` is believed. */
  readonly trustedProxies!: readonly string[];

  constructor(values: AppConfigValues) {
    Object.assign(this, values);
  }
}

export type AppConfigValues = { [K in keyof AppConfig]: AppConfig[K] };

/** Names each wrong setting in one line. */
export class ConfigError extends Error {}

/**
 * Reads the settings from an environment; an empty value counts as unset.
 * @throws ConfigError naming every setting that is wrong.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): AppConfig {
  const given = Object.fromEntries(
    Object.keys(settings.shape).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const result = settings.safeParse(given);
  if (!result.success) {
    const problems = result.error.issues.map((issue) => {
      const name = String(issue.path[0]);
      // They may hold a password.
      const shown =
        name === 'DATABASE_URL' || name === 'REDIS_URL'
          ? ''
          : ` (it is ${JSON.stringify(given[name])})`;
      return `${name} ${issue.message}${shown}`;
    });
    throw new ConfigError(`Wrong setting: ${problems.join('; ')}`);
  }
  return new AppConfig(fromSettings(result.data));
}

function fromSettings(data: Settings): AppConfigValues {
  return {
    port: data.PORT,
    host: data.HOST,
    publicUrl: data.PUBLIC_URL,
    databaseUrl: data.DATABASE_URL,
    dataDir: data.DATA_DIR,
    databasePoolSize: data.DATABASE_POOL_SIZE,
    databaseWaitMs: data.DATABASE_WAIT_MS,
    databaseQueueLimit: data.DATABASE_QUEUE_LIMIT,
    lockTimeoutMs: data.LOCK_TIMEOUT_MS,
    statementTimeoutMs: data.STATEMENT_TIMEOUT_MS,
    idleTransactionTimeoutMs: data.IDLE_TRANSACTION_TIMEOUT_MS,
    redisUrl: data.REDIS_URL,
    rateLimitRequests: data.RATE_LIMIT_REQUESTS,
    rateLimitWindowSeconds: data.RATE_LIMIT_WINDOW_SECONDS,
    authFailureLimit: data.AUTH_FAILURE_LIMIT,
    authFailureWindowSeconds: data.AUTH_FAILURE_WINDOW_SECONDS,
    signInLimit: data.SIGN_IN_LIMIT,
    signInWindowSeconds: data.SIGN_IN_WINDOW_SECONDS,
    bodyLimitBytes: data.BODY_LIMIT_BYTES,
    rowLimitBytes: data.ROW_LIMIT_BYTES,
    pageLimitBytes: data.PAGE_LIMIT_BYTES,
    columnLimit: data.COLUMN_LIMIT,
    queryBudgetMs: data.QUERY_BUDGET_MS,
    exportConcurrency: data.EXPORT_CONCURRENCY,
    exportSeconds: data.EXPORT_SECONDS,
    exportSpoolBytes: data.EXPORT_SPOOL_BYTES,
    trashDays: data.TRASH_DAYS,
    importStepRows: data.IMPORT_STEP_ROWS,
    importConcurrency: data.IMPORT_CONCURRENCY,
    headersTimeoutSeconds: data.HEADERS_TIMEOUT_SECONDS,
    clientTimeoutSeconds: data.CLIENT_TIMEOUT_SECONDS,
    workLimit: data.WORK_LIMIT,
    eventLoopDelayLimitMs: data.EVENT_LOOP_DELAY_LIMIT_MS,
    compression: data.COMPRESSION,
    shutdownGraceSeconds: data.SHUTDOWN_GRACE_SECONDS,
    logLevel: data.LOG_LEVEL,
    trustedProxies: data.TRUSTED_PROXIES,
  };
}
