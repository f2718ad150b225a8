import { settings, type Settings } from './settings';

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** The checked configuration; the one place settings are read from. */
export class AppConfig {
  readonly port!: number;
  /** Address to listen on; unset: all of them. */
  readonly host!: string | undefined;
  /** Unset: no metrics are given. */
  readonly metricsPort!: number | undefined;
  /** Address to give metrics on; unset: as `host`. */
  readonly metricsHost!: string | undefined;
  /** Base of where traces go, by OTLP over HTTP; unset: nowhere. */
  readonly tracesEndpoint!: string | undefined;
  /** Where browsers reach the service, without a slash at its end; unset: not known. */
  readonly publicUrl!: string | undefined;
  /** Where the certificate and its key are; unset: HTTP is served. */
  readonly tls!: CertificateFiles | undefined;
  /** Whether what comes by plain HTTP is refused. */
  readonly requireHttps!: boolean;
  /** Unset: the embedded PostgreSQL in `dataDir`. */
  readonly databaseUrl!: string | undefined;
  /** Past a pooler, straight to PostgreSQL; unset: `databaseUrl` is. */
  readonly databaseDirectUrl!: string | undefined;
  /** One streaming replica, for reads that may be stale. */
  readonly databaseReplicaUrl!: string | undefined;
  /** Whether statements are prepared by name. */
  readonly preparedStatements!: boolean;
  readonly dataDir!: string;
  readonly databasePoolSize!: number;
  /** How long a request waits for a connection. */
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
  /** Requests of all keys and users of an account together, in the same window. */
  readonly accountRateLimitRequests!: number;
  /** Requests without a caller from one client address, in the same window. */
  readonly publicRateLimitRequests!: number;
  readonly authFailureLimit!: number;
  readonly authFailureWindowSeconds!: number;
  /** Failed sign-ins of one e-mail address in a window. */
  readonly signInLimit!: number;
  /** Failed sign-ins from one client address in a window. */
  readonly signInAddressLimit!: number;
  readonly signInWindowSeconds!: number;
  readonly bodyLimitBytes!: number;
  readonly rowLimitBytes!: number;
  /** The largest page of rows, as JSON. */
  readonly pageLimitBytes!: number;
  /** Of the rows that a batch or upsert reads, and of its results. */
  readonly batchLimitBytes!: number;
  /** Of one account's stored responses to requests with an `Idempotency-Key`. */
  readonly idempotencyLimitBytes!: number;
  readonly columnLimit!: number;
  /** Titles and options of a datagrid's columns together: see `metadataBytes`. */
  readonly maxColumnMetadataBytes!: number;
  /** How long a filtered or sorted read may take, in milliseconds. */
  readonly queryBudgetMs!: number;
  /** Exports that this process carries out at a time. */
  readonly exportConcurrency!: number;
  /** How long an export may take, until its last byte is sent. */
  readonly exportSeconds!: number;
  /** How long PostgreSQL may work at a filtered or sorted export, and 1 s more for each megabyte. */
  readonly exportQuerySeconds!: number;
  /** What one export may keep on the disk for a slow reader. */
  readonly exportSpoolBytes!: number;
  /** What all exports of this process may keep on the disk for slow readers. */
  readonly maxSpoolBytes!: number;
  /** What the client of an import must send, or that of an export take. */
  readonly minStreamBytesPerSecond!: number;
  /** How long an import or an export waits, in all, for a client that is slower. */
  readonly maxStreamStallSeconds!: number;
  /** How long a deletion can be taken back. */
  readonly trashDays!: number;
  /** What an account may have of each; unset: as many as it likes. */
  readonly quotaWorkspaces!: number | undefined;
  readonly quotaDatagrids!: number | undefined;
  readonly quotaRows!: number | undefined;
  /** Active API keys of one user. */
  readonly maxKeysPerUser!: number;
  readonly maxUsersPerAccount!: number;
  /** Audit events that are kept of one account; the oldest go first. */
  readonly maxAuditEvents!: number;
  /** How long the audit log tells of something. */
  readonly auditDays!: number;
  /** Rows that an import writes at once; one of no more is all or nothing. */
  readonly importStepRows!: number;
  /** Imports that one process carries out at a time. */
  readonly importConcurrency!: number;
  /** In which a request's headers must have come. */
  readonly headersTimeoutSeconds!: number;
  /** In which a request must have come whole, and how long an answer may wait to be read. */
  readonly clientTimeoutSeconds!: number;
  /** Of large bodies that come, and as much of large answers that are read, in memory. */
  readonly clientMemoryBytes!: number;
  /** Client connections that this process holds, where its limit on open files leaves as many. */
  readonly maxConnections!: number;
  /** Requests that this process works on at a time. */
  readonly workLimit!: number;
  /** How late its event loop may be before they are fewer. */
  readonly eventLoopDelayLimitMs!: number;
  /** Whether answers are compressed where the client asks. */
  readonly compression!: Settings['COMPRESSION'];
  readonly shutdownGraceSeconds!: number;
  /** From when on a request is slow, and its line in the log says why. */
  readonly slowRequestMs!: number;
  readonly logLevel!: Settings['LOG_LEVEL'];
  /** Addresses and CIDR ranges whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
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
  const problems = result.success
    ? missingPartners(given)
    : result.error.issues.map(({ path, message }) => {
        const name = String(path[0]);
        const isSecret = MAY_HOLD_PASSWORD.test(name);
        return `${name} ${message}${isSecret ? '' : ` (it is ${JSON.stringify(given[name])})`}`;
      });
  if (!result.success || problems.length > 0) {
    throw new ConfigError(`Wrong setting: ${problems.join('; ')}`);
  }
  return new AppConfig(fromSettings(result.data));
}

/** URLs, of which the user and the password are a part. */
const MAY_HOLD_PASSWORD = /_URL$|^OTEL_EXPORTER_OTLP_ENDPOINT$/;

/** Settings that mean nothing without another one. */
const NEEDS: readonly (readonly [string, string])[] = [
  ['TLS_CERT_FILE', 'TLS_KEY_FILE'],
  ['TLS_KEY_FILE', 'TLS_CERT_FILE'],
  ['DATABASE_DIRECT_URL', 'DATABASE_URL'],
  ['DATABASE_REPLICA_URL', 'DATABASE_URL'],
];

function missingPartners(given: Readonly<Record<string, unknown>>): string[] {
  return NEEDS.filter(([name, needed]) => name in given && !(needed in given)).map(
    ([name, needed]) => `${name} must be set together with ${needed}`,
  );
}

/** As many keys may use up their limits before the account's own is used up, unless it is set. */
const KEYS_PER_ACCOUNT_LIMIT = 10;

function fromSettings(data: Settings): AppConfigValues {
  return {
    port: data.PORT,
    host: data.HOST,
    metricsPort: data.METRICS_PORT,
    metricsHost: data.METRICS_HOST,
    tracesEndpoint: data.OTEL_EXPORTER_OTLP_ENDPOINT,
    publicUrl: data.PUBLIC_URL,
    tls:
      data.TLS_CERT_FILE !== undefined && data.TLS_KEY_FILE !== undefined
        ? { cert: data.TLS_CERT_FILE, key: data.TLS_KEY_FILE }
        : undefined,
    requireHttps: data.REQUIRE_HTTPS === 'on',
    databaseUrl: data.DATABASE_URL,
    databaseDirectUrl: data.DATABASE_DIRECT_URL,
    databaseReplicaUrl: data.DATABASE_REPLICA_URL,
    preparedStatements: data.PREPARED_STATEMENTS === 'on',
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
    accountRateLimitRequests:
      data.ACCOUNT_RATE_LIMIT_REQUESTS ?? data.RATE_LIMIT_REQUESTS * KEYS_PER_ACCOUNT_LIMIT,
    publicRateLimitRequests: data.PUBLIC_RATE_LIMIT_REQUESTS,
    authFailureLimit: data.AUTH_FAILURE_LIMIT,
    authFailureWindowSeconds: data.AUTH_FAILURE_WINDOW_SECONDS,
    signInLimit: data.SIGN_IN_LIMIT,
    signInAddressLimit: data.SIGN_IN_ADDRESS_LIMIT,
    signInWindowSeconds: data.SIGN_IN_WINDOW_SECONDS,
    bodyLimitBytes: data.BODY_LIMIT_BYTES,
    rowLimitBytes: data.ROW_LIMIT_BYTES,
    pageLimitBytes: data.PAGE_LIMIT_BYTES,
    batchLimitBytes: data.MAX_BATCH_BYTES,
    idempotencyLimitBytes: data.MAX_IDEMPOTENCY_BYTES,
    columnLimit: data.COLUMN_LIMIT,
    maxColumnMetadataBytes: data.MAX_COLUMN_METADATA_BYTES,
    queryBudgetMs: data.QUERY_BUDGET_MS,
    exportConcurrency: data.EXPORT_CONCURRENCY,
    exportSeconds: data.EXPORT_SECONDS,
    exportQuerySeconds: data.MAX_EXPORT_QUERY_SECONDS,
    exportSpoolBytes: data.EXPORT_SPOOL_BYTES,
    maxSpoolBytes: data.MAX_SPOOL_BYTES,
    minStreamBytesPerSecond: data.MIN_STREAM_BYTES_PER_SECOND,
    maxStreamStallSeconds: data.MAX_STREAM_STALL_SECONDS,
    trashDays: data.TRASH_DAYS,
    quotaWorkspaces: data.QUOTA_WORKSPACES,
    quotaDatagrids: data.QUOTA_DATAGRIDS,
    quotaRows: data.QUOTA_ROWS,
    maxKeysPerUser: data.MAX_KEYS_PER_USER,
    maxUsersPerAccount: data.MAX_USERS_PER_ACCOUNT,
    maxAuditEvents: data.MAX_AUDIT_EVENTS,
    auditDays: data.AUDIT_DAYS,
    importStepRows: data.IMPORT_STEP_ROWS,
    importConcurrency: data.IMPORT_CONCURRENCY,
    headersTimeoutSeconds: data.HEADERS_TIMEOUT_SECONDS,
    clientTimeoutSeconds: data.CLIENT_TIMEOUT_SECONDS,
    clientMemoryBytes: data.CLIENT_MEMORY_BYTES,
    maxConnections: data.MAX_CONNECTIONS,
    workLimit: data.WORK_LIMIT,
    eventLoopDelayLimitMs: data.EVENT_LOOP_DELAY_LIMIT_MS,
    compression: data.COMPRESSION,
    shutdownGraceSeconds: data.SHUTDOWN_GRACE_SECONDS,
    slowRequestMs: data.SLOW_REQUEST_MS,
    logLevel: data.LOG_LEVEL,
    trustedProxies: data.TRUSTED_PROXIES,
  };
}
