import type { DataSource, DataSourceOptions, EntitySchema } from 'typeorm';
import * as pg from 'pg';
import { MIGRATIONS } from './migrations/migration-list';
import type { StartupReporter } from './database-opening';
import type { RequiredSchema } from './schema-state';
import { poolConfig, ServicePool, type PoolLimits } from './service-pool';
import { startupOptions, type SessionSettings } from './session-settings';

export type EntityClass = (new () => object) | EntitySchema;

export interface DatabaseOptions {
  readonly url: string;
  /**
   * URL of PostgreSQL itself, bypassing any pooler, for connections that need their own session. If
   * it differs from `url`, `url` may lead through a pooler that shares sessions between
   * transactions.
   */
  readonly directUrl?: string | undefined;
  /** Streaming replica for reads that may be stale. */
  readonly replicaUrl?: string | undefined;
  /**
   * Whether statements may be prepared by name. `false` for poolers without support for prepared
   * statements.
   */
  readonly prepares?: boolean;
  /** Required state of the schema. The default is `migrate`. */
  readonly schema?: RequiredSchema;
  /** Receives reports while the startup waits for an unavailable database. If omitted, the first failure
   * is thrown. */
  readonly report?: StartupReporter | undefined;
  readonly poolSize: number;
  /** Time that a statement waits for a lock. */
  readonly lockTimeoutMs: number;
  /** Statement timeout. 0 means no limit, as for commands and migrations. */
  readonly statementTimeoutMs?: number;
  /**
   * Time that a transaction may stay idle while it holds locks, for example because its process is
   * frozen.
   */
  readonly idleTransactionTimeoutMs?: number;
  readonly limits?: PoolLimits;
  /** Whether the tables are distributed by Citus. Default: false. */
  readonly isDistributed?: boolean;
}

/** Limits for commands, where no other request waits for a connection. */
const NO_LIMITS: PoolLimits = { acquireTimeoutMs: 5_000, maxWaiting: Infinity };

/** Returns whether sessions are shared between transactions. */
export function isPooled({ url, directUrl = url }: DatabaseOptions): boolean {
  return directUrl !== url;
}

/**
 * Session settings. Each statement finds its rows by key, so one generic plan fits all values and
 * JIT does not pay off. Citus must know the values to find the node of a statement. Its generic plans of
 * joins fail, or move rows through the coordinator. Lock waits are limited because a waiting statement
 * holds one of few connections.
 */
export function sessionSettings(options: DatabaseOptions): SessionSettings {
  const { lockTimeoutMs, statementTimeoutMs = 0, idleTransactionTimeoutMs = 0 } = options;
  const { isDistributed = false } = options;
  return {
    plan_cache_mode: isDistributed ? 'force_custom_plan' : 'force_generic_plan',
    // A statement over several datagrids uses one connection to each node.
    ...(isDistributed && { 'citus.multi_shard_modify_mode': 'sequential' }),
    jit: 'off',
    lock_timeout: String(lockTimeoutMs),
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: String(idleTransactionTimeoutMs),
  };
}

/** TypeORM options, shared by the service, the commands and `ormconfig.ts`. */
export function dataSourceOptions(
  options: DatabaseOptions,
  entities: readonly EntityClass[],
): DataSourceOptions {
  const { statementTimeoutMs = 0 } = options;
  return {
    type: 'postgres',
    driver: { ...pg, Pool: ServicePool },
    entities: [...entities],
    migrations: [...MIGRATIONS],
    migrationsTableName: 'schema_migrations',
    synchronize: false,
    logging: false,
    installExtensions: false,
    applicationName: 'datagrid-platform',
    extra: {
      // Not TypeORM's `url`, whose parser does not support Unix sockets.
      ...poolConfig(options.url, options.limits ?? NO_LIMITS),
      max: options.poolSize,
      idleTimeoutMillis: 30_000,
      ...(statementTimeoutMs > 0 && { statementMs: statementTimeoutMs }),
      // A pooler does not accept startup options. Behind one, the settings are stored with the
      // role.
      ...(!isPooled(options) && { options: startupOptions(sessionSettings(options)) }),
    },
  };
}

/** Sets the session settings of a data source that has not been initialized. */
export function setSessionSettings(dataSource: DataSource, options: DatabaseOptions): void {
  if (isPooled(options)) return;
  const extra = dataSource.options.extra as Readonly<Record<string, unknown>>;
  dataSource.setOptions({
    extra: { ...extra, options: startupOptions(sessionSettings(options)) },
  });
}
