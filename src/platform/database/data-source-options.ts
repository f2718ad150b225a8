import type { DataSourceOptions, EntitySchema } from 'typeorm';
import { GuardedClient } from './guarded-client';
import { MIGRATIONS } from './migrations/migration-list';
import { typeParsers } from './type-parsers';

export type EntityClass = (new () => object) | EntitySchema;

export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  /** How long a statement waits for a lock. */
  readonly lockTimeoutMs: number;
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
      // Every statement finds its rows by key: one plan serves all values, and none is worth JIT.
      // What waits for a lock holds a connection, of which there are few.
      options:
        '-c plan_cache_mode=force_generic_plan -c jit=off ' +
        `-c lock_timeout=${String(options.lockTimeoutMs)}`,
    },
  };
}
