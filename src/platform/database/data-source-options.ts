import type { DataSourceOptions, EntitySchema } from 'typeorm';
import * as pg from 'pg';
import { MIGRATIONS } from './migrations/migration-list';
import { poolConfig, ServicePool, type PoolLimits } from './service-pool';

export type EntityClass = (new () => object) | EntitySchema;

export interface DatabaseOptions {
  readonly url: string;
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
const NO_LIMITS: PoolLimits = { waitMs: 5_000, queueLimit: Infinity };
/** PostgreSQL ends a statement by itself, and has so much time to say so. */
const AFTER_TIMEOUT_MS = 2_000;

/** What TypeORM needs, for the service, the commands and `ormconfig.ts` alike. */
export function dataSourceOptions(
  options: DatabaseOptions,
  entities: readonly EntityClass[],
): DataSourceOptions {
  const { statementTimeoutMs = 0, idleTransactionTimeoutMs = 0 } = options;
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
      ...(statementTimeoutMs > 0 && { mostSilentMs: statementTimeoutMs + AFTER_TIMEOUT_MS }),
      // Every statement finds its rows by key: one plan serves all values, and none is worth JIT.
      // What waits for a lock holds a connection, of which there are few.
      options:
        '-c plan_cache_mode=force_generic_plan -c jit=off ' +
        `-c lock_timeout=${String(options.lockTimeoutMs)} ` +
        `-c statement_timeout=${String(statementTimeoutMs)} ` +
        `-c idle_in_transaction_session_timeout=${String(idleTransactionTimeoutMs)}`,
    },
  };
}
