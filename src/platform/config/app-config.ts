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
  readonly databaseAcquireTimeoutMs!: number;
  /** Requests that wait for a connection at a time, of each pool. */
  readonly databaseMaxWaiting!: number;
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
  readonly maxBodyBytes!: number;
  readonly maxRowBytes!: number;
  /** The largest page of rows, as JSON. */
  readonly maxPageBytes!: number;
  /** Of the rows that a batch or upsert reads, and of its results. */
  readonly maxBatchBytes!: number;
  /** Of one account's stored responses to requests with an `Idempotency-Key`. */
  readonly maxIdempotencyBytes!: number;
  readonly maxColumns!: number;
  /** Titles and options of a datagrid's columns together: see `metadataBytes`. */
  readonly maxColumnMetadataBytes!: number;
  /** How long a filtered or sorted read may take, in milliseconds. */
  readonly queryTimeoutMs!: number;
  /** Exports that this process carries out at a time. */
  readonly maxConcurrentExports!: number;
  /** How long an export may take, until its last byte is sent. */
  readonly exportTimeoutSeconds!: number;
  /** How long PostgreSQL may work at a filtered or sorted export, and 1 s more for each megabyte. */
  readonly exportQueryTimeoutSeconds!: number;
  /** What one export may keep on the disk for a slow reader. */
  readonly maxExportSpoolBytes!: number;
  /** What all exports of this process may keep on the disk for slow readers. */
  readonly maxSpoolBytes!: number;
  /** What the client of an import must send, or that of an export take. */
  readonly minStreamBytesPerSecond!: number;
  /** How long an import or an export waits, in all, for a client that is slower. */
  readonly maxStreamStallSeconds!: number;
  /** How long a deletion can be taken back. */
  readonly trashRetentionDays!: number;
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
  readonly auditRetentionDays!: number;
  /** Rows that an import writes at once; one of no more is all or nothing. */
  readonly importBatchRows!: number;
  /** Imports that one process carries out at a time. */
  readonly maxConcurrentImports!: number;
  /** In which a request's headers must have come. */
  readonly headersTimeoutSeconds!: number;
  /** In which a request must have come whole, and how long an answer may wait to be read. */
  readonly requestTimeoutSeconds!: number;
  /** Of large bodies that come, and as much of large answers that are read, in memory. */
  readonly maxBufferedBytes!: number;
  /** Client connections that this process holds, where its limit on open files leaves as many. */
  readonly maxConnections!: number;
  /** Requests that this process works on at a time. */
  readonly maxConcurrentRequests!: number;
  /** How late its event loop may be before they are fewer. */
  readonly maxEventLoopDelayMs!: number;
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
    databaseAcquireTimeoutMs: data.DATABASE_ACQUIRE_TIMEOUT_MS,
    databaseMaxWaiting: data.DATABASE_MAX_WAITING,
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
    maxBodyBytes: data.MAX_BODY_BYTES,
    maxRowBytes: data.MAX_ROW_BYTES,
    maxPageBytes: data.MAX_PAGE_BYTES,
    maxBatchBytes: data.MAX_BATCH_BYTES,
    maxIdempotencyBytes: data.MAX_IDEMPOTENCY_BYTES,
    maxColumns: data.MAX_COLUMNS,
    maxColumnMetadataBytes: data.MAX_COLUMN_METADATA_BYTES,
    queryTimeoutMs: data.QUERY_TIMEOUT_MS,
    maxConcurrentExports: data.MAX_CONCURRENT_EXPORTS,
    exportTimeoutSeconds: data.EXPORT_TIMEOUT_SECONDS,
    exportQueryTimeoutSeconds: data.EXPORT_QUERY_TIMEOUT_SECONDS,
    maxExportSpoolBytes: data.MAX_EXPORT_SPOOL_BYTES,
    maxSpoolBytes: data.MAX_SPOOL_BYTES,
    minStreamBytesPerSecond: data.MIN_STREAM_BYTES_PER_SECOND,
    maxStreamStallSeconds: data.MAX_STREAM_STALL_SECONDS,
    trashRetentionDays: data.TRASH_RETENTION_DAYS,
    quotaWorkspaces: data.QUOTA_WORKSPACES,
    quotaDatagrids: data.QUOTA_DATAGRIDS,
    quotaRows: data.QUOTA_ROWS,
    maxKeysPerUser: data.MAX_KEYS_PER_USER,
    maxUsersPerAccount: data.MAX_USERS_PER_ACCOUNT,
    maxAuditEvents: data.MAX_AUDIT_EVENTS,
    auditRetentionDays: data.AUDIT_RETENTION_DAYS,
    importBatchRows: data.IMPORT_BATCH_ROWS,
    maxConcurrentImports: data.MAX_CONCURRENT_IMPORTS,
    headersTimeoutSeconds: data.HEADERS_TIMEOUT_SECONDS,
    requestTimeoutSeconds: data.REQUEST_TIMEOUT_SECONDS,
    maxBufferedBytes: data.MAX_BUFFERED_BYTES,
    maxConnections: data.MAX_CONNECTIONS,
    maxConcurrentRequests: data.MAX_CONCURRENT_REQUESTS,
    maxEventLoopDelayMs: data.MAX_EVENT_LOOP_DELAY_MS,
    compression: data.COMPRESSION,
    shutdownGraceSeconds: data.SHUTDOWN_GRACE_SECONDS,
    slowRequestMs: data.SLOW_REQUEST_MS,
    logLevel: data.LOG_LEVEL,
    trustedProxies: data.TRUSTED_PROXIES,
  };
}
