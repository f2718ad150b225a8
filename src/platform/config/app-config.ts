import { settings, type Settings } from './settings';

/** Paths of PEM files. */
export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** Validated configuration. Settings are read from here only. */
export class AppConfig {
  readonly port!: number;
  /** Address to listen on. If unset, all addresses. */
  readonly host!: string | undefined;
  /** Port of the metrics. If unset, no metrics are served. */
  readonly metricsPort!: number | undefined;
  /** Address on which metrics are served. If unset, the same as `host`. */
  readonly metricsHost!: string | undefined;
  /** Base URL to which traces are sent by OTLP over HTTP. If unset, traces are not sent. */
  readonly tracesEndpoint!: string | undefined;
  /** URL at which browsers reach the service, without a trailing slash. If unset, it is unknown. */
  readonly publicUrl!: string | undefined;
  /** Certificate and key for HTTPS. If unset, the service uses HTTP. */
  readonly tls!: CertificateFiles | undefined;
  /** Whether requests over plain HTTP are rejected. */
  readonly requireHttps!: boolean;
  /** If unset, the embedded PostgreSQL in `dataDir` is used. */
  readonly databaseUrl!: string | undefined;
  /** URL of PostgreSQL itself, bypassing any pooler. If unset, `databaseUrl` is used. */
  readonly databaseDirectUrl!: string | undefined;
  /** URL of a streaming replica, for reads that may be stale. */
  readonly databaseReplicaUrl!: string | undefined;
  /** Whether statements are prepared by name. */
  readonly preparedStatements!: boolean;
  readonly dataDir!: string;
  readonly databasePoolSize!: number;
  /** Time that a request waits for a connection. */
  readonly databaseAcquireTimeoutMs!: number;
  /** Maximum number of requests that wait for a connection, per pool. */
  readonly databaseMaxWaiting!: number;
  readonly lockTimeoutMs!: number;
  readonly statementTimeoutMs!: number;
  readonly idleTransactionTimeoutMs!: number;
  /** If unset, this process counts limits on its own. */
  readonly redisUrl!: string | undefined;
  readonly rateLimitRequests!: number;
  readonly rateLimitWindowSeconds!: number;
  /** Limit on the requests of all keys and users of an account together, in the same window. */
  readonly accountRateLimitRequests!: number;
  /** Limit on the requests without a caller from one client address, in the same window. */
  readonly publicRateLimitRequests!: number;
  readonly authFailureLimit!: number;
  readonly authFailureWindowSeconds!: number;
  /** Limit on the failed sign-ins with one email address in a window. */
  readonly signInLimit!: number;
  /** Limit on the failed sign-ins from one client address in a window. */
  readonly signInAddressLimit!: number;
  readonly signInWindowSeconds!: number;
  readonly maxBodyBytes!: number;
  readonly maxRowBytes!: number;
  /** Maximum size of a page of rows, as JSON. */
  readonly maxPageBytes!: number;
  /** Maximum total size of the rows that a batch or upsert reads, and of its results. */
  readonly maxBatchBytes!: number;
  /** Maximum total size of one account's stored responses to requests with an `Idempotency-Key`. */
  readonly maxIdempotencyBytes!: number;
  readonly maxColumns!: number;
  /** Maximum total size of the titles and options of a datagrid's columns: see `metadataBytes`. */
  readonly maxColumnMetadataBytes!: number;
  /** Timeout of a filtered or sorted read, in milliseconds. */
  readonly queryTimeoutMs!: number;
  /** Maximum number of exports that this process runs at a time. */
  readonly maxConcurrentExports!: number;
  /** Timeout of an export, until its last byte is sent. */
  readonly exportTimeoutSeconds!: number;
  /** Time that PostgreSQL may spend on a filtered or sorted export, plus 1 s for each megabyte. */
  readonly exportQueryTimeoutSeconds!: number;
  /** Maximum disk space that one export may use to buffer data for a slow reader. */
  readonly maxExportSpoolBytes!: number;
  /**
   * Maximum disk space that all exports of this process may use to buffer data for slow readers.
   */
  readonly maxSpoolBytes!: number;
  /** Minimum rate at which the client of an import sends, or the client of an export reads. */
  readonly minStreamBytesPerSecond!: number;
  /** Total time that an import or export waits for a slower client. */
  readonly maxStreamStallSeconds!: number;
  /** Time for which deleted workspaces and datagrids can be restored. */
  readonly trashRetentionDays!: number;
  /** Quotas of one account. If unset, there is no limit. */
  readonly quotaWorkspaces!: number | undefined;
  readonly quotaDatagrids!: number | undefined;
  readonly quotaRows!: number | undefined;
  /** Maximum number of active API keys of one user. */
  readonly maxKeysPerUser!: number;
  readonly maxUsersPerAccount!: number;
  /** Maximum number of audit events kept for one account. The oldest are deleted first. */
  readonly maxAuditEvents!: number;
  /** Time for which audit events are kept. */
  readonly auditRetentionDays!: number;
  /** Rows that an import writes at once. An import of at most this many rows is atomic. */
  readonly importBatchRows!: number;
  /** Maximum number of imports that one process runs at a time. */
  readonly maxConcurrentImports!: number;
  /** Time within which a request's headers must arrive. */
  readonly headersTimeoutSeconds!: number;
  /**
   * Time within which a request must arrive completely, and for which a response may stay unread.
   */
  readonly requestTimeoutSeconds!: number;
  /**
   * Maximum memory for large request bodies being received, and the same for large responses being
   * read.
   */
  readonly maxBufferedBytes!: number;
  /**
   * Maximum number of client connections of this process. Fewer if its limit on open files is
   * lower.
   */
  readonly maxConnections!: number;
  /** Maximum number of requests in progress in this process. */
  readonly maxConcurrentRequests!: number;
  /** Event loop delay, in milliseconds, above which `maxConcurrentRequests` is reduced. */
  readonly maxEventLoopDelayMs!: number;
  /** Whether responses are compressed if the client accepts it. */
  readonly compression!: Settings['COMPRESSION'];
  readonly shutdownGraceSeconds!: number;
  /** Duration, in milliseconds, from which a request is slow and its log line says why. */
  readonly slowRequestMs!: number;
  readonly logLevel!: Settings['LOG_LEVEL'];
  /**
   * Addresses and CIDR ranges of trusted proxies: their `X-Forwarded-For` and `X-Forwarded-Proto`
   * are used.
   */
  readonly trustedProxies!: readonly string[];

  constructor(values: AppConfigValues) {
    Object.assign(this, values);
  }
}

export type AppConfigValues = { [K in keyof AppConfig]: AppConfig[K] };

/** Thrown when settings are invalid. The message names each of them, in one line. */
export class ConfigError extends Error {}

/**
 * Reads the settings from an environment. An empty value counts as unset.
 * @throws ConfigError naming every invalid setting.
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

/** URLs, which may contain a user name and a password. */
const MAY_HOLD_PASSWORD = /_URL$|^OTEL_EXPORTER_OTLP_ENDPOINT$/;

/** Settings that require another one. */
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

/** Default of the account's limit, as a multiple of the limit of one key. */
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
