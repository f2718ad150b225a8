import type { DataSourceOptions, EntitySchema } from 'typeorm';
import * as pg from 'pg';
import { MIGRATIONS } from './migrations/migration-list';
import type { OpeningReport } from './database-opening';
import type { SchemaDemand } from './schema-state';
import { poolConfig, ServicePool, type PoolLimits } from './service-pool';
import { startupOptions, type SessionSettings } from './session-settings';

export type EntityClass = (new () => object) | EntitySchema;

export interface DatabaseOptions {
  readonly url: string;
  /**
   * Past a pooler, straight to PostgreSQL, for what needs a session of its own. Where it is another
   * than `url`, that may lead through a pooler which shares its sessions between transactions.
   */
  readonly directUrl?: string | undefined;
  /** A streaming replica, for reads that may be stale. */
  readonly replicaUrl?: string | undefined;
  /** Whether statements may be prepared by name; not so with poolers that know none. */
  readonly prepares?: boolean;
  /** What is asked of the schema; `migrate` unless given. */
  readonly schema?: SchemaDemand;
  /** Given where the start waits for a database that is unavailable. */
  readonly report?: OpeningReport | undefined;
  readonly poolSize: number;
  /** How long a statement waits for a lock. */
  readonly lockTimeoutMs: number;
  /** How long a statement may take; 0, as for commands and migrations: as long as it likes. */
  readonly statementTimeoutMs?: number;
  /** How long a transaction may hold its locks and do nothing, as where its process is frozen. */
  readonly idleTransactionTimeoutMs?: number;
  readonly limits?: PoolLimits;
}

/** Of a command, for which nothing else waits. */
const NO_LIMITS: PoolLimits = { acquireTimeoutMs: 5_000, maxWaiting: Infinity };

/** Whether sessions are shared between transactions. */
export function isPooled({ url, directUrl = url }: DatabaseOptions): boolean {
  return directUrl !== url;
}

/**
 * What sessions are set to. Every statement finds its rows by key: one plan serves all values, and
 * none is worth JIT. What waits for a lock holds a connection, of which there are few.
 */
export function sessionSettings(options: DatabaseOptions): SessionSettings {
  const { lockTimeoutMs, statementTimeoutMs = 0, idleTransactionTimeoutMs = 0 } = options;
  return {
    plan_cache_mode: 'force_generic_plan',
    jit: 'off',
    lock_timeout: String(lockTimeoutMs),
    statement_timeout: String(statementTimeoutMs),
    idle_in_transaction_session_timeout: String(idleTransactionTimeoutMs),
  };
}

/** What TypeORM needs, for the service, the commands and `ormconfig.ts` alike. */
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
      // Not TypeORM's `url`: its parser knows no Unix sockets.
      ...poolConfig(options.url, options.limits ?? NO_LIMITS),
      max: options.poolSize,
      idleTimeoutMillis: 30_000,
      ...(statementTimeoutMs > 0 && { statementMs: statementTimeoutMs }),
      // A pooler takes none: there they are the role's.
      ...(!isPooled(options) && { options: startupOptions(sessionSettings(options)) }),
    },
  };
}
