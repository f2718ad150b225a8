import {
  Global,
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../config/app-config';
import { AccountActivity } from '../fairness/account-activity';
import type { Tracing } from '../tracing/tracing';
import { AppliedMigrations, prepareSchema } from './migrate';
import { QueryPool, type QueryPoolOptions } from './query-pool';
import { ConnectionWatch } from './connection-watch';
import { CopyConnections } from './copy-connections';
import {
  dataSourceOptions,
  isPooled,
  setSessionSettings,
  type DatabaseOptions,
  type EntityClass,
} from './data-source-options';
import { Database } from './database';
import { DatabaseGate } from './database-gate';
import { DatabaseStartup } from './database-opening';
import { DatabaseUrl } from './session-settings';
import { Replica } from './replica/replica';
import { ReplicatedDatabase, ReplicatedQueries } from './replica/replicated';
import { hasCitus, requireCompleteSchema } from './schema-state';
import type { PoolLimits } from './service-pool';
import { checkSessions } from './session-check';
import { timedDatabase, timedQueries, traced, tracedQueries } from './observed-database';

const DATABASE_OPTIONS = Symbol('database options');

/**
 * Connects when the application initializes, not when the modules are assembled, so that the API
 * description can be generated without a database.
 */
@Global()
@Module({})
export class DatabaseModule implements OnModuleInit, OnApplicationShutdown {
  static of(
    options: DatabaseOptions,
    entities: readonly EntityClass[],
    tracing?: Tracing,
  ): DynamicModule {
    const directUrl = options.directUrl ?? options.url;
    return {
      module: DatabaseModule,
      providers: [
        { provide: AccountActivity, useFactory: () => new AccountActivity() },
        AppliedMigrations,
        { provide: DatabaseStartup, useValue: new DatabaseStartup(options.report) },
        { provide: DATABASE_OPTIONS, useValue: options },
        {
          provide: DataSource,
          useFactory: (config: AppConfig, watch: ConnectionWatch) => {
            const limits = poolLimits(config, watch);
            return new DataSource(dataSourceOptions({ ...options, limits }, entities));
          },
          inject: [AppConfig, ConnectionWatch],
        },
        // Uses the same route as the pools, because behind a pooler only the pooler's own process
        // ids are valid.
        { provide: ConnectionWatch, useFactory: () => new ConnectionWatch(options.url) },
        {
          provide: DatabaseGate,
          useFactory: (config: AppConfig, watch: ConnectionWatch, activity: AccountActivity) =>
            new DatabaseGate(config, activity, () => watch.isSilent),
          inject: [AppConfig, ConnectionWatch, AccountActivity],
        },
        { provide: DatabaseUrl, useValue: new DatabaseUrl(directUrl) },
        {
          provide: Replica,
          useFactory: (config: AppConfig, watch: ConnectionWatch, activity: AccountActivity) =>
            options.replicaUrl === undefined
              ? null
              : new Replica(options.replicaUrl, options, {
                  ...queryPoolOptions(config, watch, options),
                  activity,
                }),
          inject: [AppConfig, ConnectionWatch, AccountActivity],
        },
        {
          provide: Database,
          useFactory: (dataSource: DataSource, replica: Replica | null) => {
            const database = replica
              ? new ReplicatedDatabase(dataSource, options.prepares ?? true, replica)
              : new Database(dataSource, options.prepares);
            const timed = timedDatabase(database);
            return tracing ? traced(timed, tracing) : timed;
          },
          inject: [DataSource, Replica],
        },
        {
          provide: QueryPool,
          useFactory: (
            config: AppConfig,
            watch: ConnectionWatch,
            activity: AccountActivity,
            replica: Replica | null,
          ) => {
            const own = { ...queryPoolOptions(config, watch, options), activity };
            const queries = timedQueries(
              replica ? new ReplicatedQueries(own, replica) : new QueryPool(own),
            );
            return tracing ? tracedQueries(queries, tracing) : queries;
          },
          inject: [AppConfig, ConnectionWatch, AccountActivity, Replica],
        },
        {
          provide: CopyConnections,
          useFactory: (config: AppConfig, watch: ConnectionWatch) =>
            new CopyConnections({
              url: directUrl,
              poolSize: config.maxConcurrentImports,
              limits: poolLimits(config, watch),
            }),
          inject: [AppConfig, ConnectionWatch],
        },
      ],
      exports: [
        AccountActivity,
        AppliedMigrations,
        DatabaseStartup,
        Database,
        QueryPool,
        CopyConnections,
        ConnectionWatch,
        DatabaseGate,
        DatabaseUrl,
        Replica,
      ],
    };
  }

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(DATABASE_OPTIONS) private readonly options: DatabaseOptions,
    @Inject(QueryPool) private readonly queries: QueryPool,
    @Inject(CopyConnections) private readonly copies: CopyConnections,
    @Inject(ConnectionWatch) private readonly watch: ConnectionWatch,
    @Inject(DatabaseStartup) private readonly opening: DatabaseStartup,
    @Inject(AppliedMigrations) private readonly applied: AppliedMigrations,
    @Inject(Database) private readonly database: Database,
    @Inject(Replica) private readonly replica: Replica | null,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.opening.run({
      check: () => checkSessions(this.options),
      open: () => this.open(),
    });
    this.replica?.follow(this.database);
  }

  private async open(): Promise<void> {
    const isDistributed = await hasCitus(this.options.directUrl ?? this.options.url);
    const options = { ...this.options, isDistributed };
    const applied = await prepareSchema(options);
    this.applied.names = [...this.applied.names, ...applied];
    setSessionSettings(this.dataSource, options);
    if (isDistributed) {
      this.queries.planForValues();
      this.database.useCitus(this.options.lockTimeoutMs);
    }
    await this.dataSource.initialize();
    if (this.options.schema === 'exact') await this.requireCompleteSchema(isDistributed);
  }

  /**
   * Checks the schema, and closes the connections if the check fails. Nest does not shut down an
   * application that fails to start, so open connections would keep the process alive.
   */
  private async requireCompleteSchema(isDistributed: boolean): Promise<void> {
    try {
      await requireCompleteSchema(this.dataSource, isDistributed);
    } catch (error) {
      await this.dataSource.destroy();
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.replica?.close();
    await this.queries.close();
    await this.copies.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    this.watch.stop();
  }
}

function queryPoolOptions(
  config: AppConfig,
  watch: ConnectionWatch,
  options: DatabaseOptions,
): Omit<QueryPoolOptions, 'activity'> {
  return {
    url: options.url,
    poolSize: config.databasePoolSize,
    timeoutMs: config.queryTimeoutMs,
    limits: poolLimits(config, watch),
    isPooled: isPooled(options),
    prepares: options.prepares ?? true,
  };
}

function poolLimits(config: AppConfig, watch: ConnectionWatch): PoolLimits {
  return {
    acquireTimeoutMs: config.databaseAcquireTimeoutMs,
    maxWaiting: config.databaseMaxWaiting,
    watch,
  };
}
