import type { DataSourceOptions, EntitySchema } from 'typeorm';
import { GuardedClient } from './guarded-client';
import { startupOptions, type SessionSettings } from './session-settings';
import { MIGRATIONS } from './migrations/migration-list';
import { typeParsers } from './type-parsers';

export type EntityClass = (new () => object) | EntitySchema;

export interface DatabaseOptions {
  readonly url: string;
  /**
   * Past a pooler, straight to PostgreSQL, for what needs a session of its own. Where it is another
   * than `url`, that may lead through a pooler which shares its sessions between transactions.
   */
  readonly directUrl?: string | undefined;
  /** Whether statements may be prepared by name; not so with poolers that know none. */
  readonly prepares?: boolean;
  readonly poolSize: number;
  /** How long a statement waits for a lock. */
  readonly lockTimeoutMs: number;
}

/** Whether sessions are shared between transactions. */
export function isPooled({ url, directUrl = url }: DatabaseOptions): boolean {
  return directUrl !== url;
}

/**
 * What sessions are set to. Every statement finds its rows by key: one plan serves all values, and
 * none is worth JIT. What waits for a lock holds a connection, of which there are few.
 */
export function sessionSettings({ lockTimeoutMs }: DatabaseOptions): SessionSettings {
  return {
    plan_cache_mode: 'force_generic_plan',
    jit: 'off',
    lock_timeout: String(lockTimeoutMs),
  };
}

/** What TypeORM needs, for the service, the commands and `ormconfig.ts` alike. */
export function dataSourceOptions(
  options: DatabaseOptions,
  entities: readonly EntityClass[],
): DataSourceOptions {
  return {
    type: 'postgres',
    entities: [...entities],
    migrations: [...MIGRATIONS],
    migrationsTableName: 'schema_migrations',
    synchronize: false,
    logging: false,
    installExtensions: false,
    applicationName: 'datagrid-platform',
    extra: {
      Client: GuardedClient,
      // Not TypeORM's `url`: its parser knows no Unix sockets.
      connectionString: options.url,
      max: options.poolSize,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
      types: typeParsers,
      // A pooler takes none: there they are the role's.
      ...(!isPooled(options) && { options: startupOptions(sessionSettings(options)) }),
    },
  };
}
