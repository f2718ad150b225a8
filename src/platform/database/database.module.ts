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
import { BudgetedQueries } from './budgeted-queries';
import { ConnectionWatch } from './connection-watch';
import { CopyConnections } from './copy-connections';
import { dataSourceOptions, type DatabaseOptions, type EntityClass } from './data-source-options';
import { Database } from './database';
import { DatabaseUrl } from './database-url';
import { migrate } from './migrate';
import type { PoolLimits } from './service-pool';

/**
 * Connects when the application initialises, not when it is put together: the API description
 * can be made without a database.
 */
@Global()
@Module({})
export class DatabaseModule implements OnModuleInit, OnApplicationShutdown {
  static of(options: DatabaseOptions, entities: readonly EntityClass[]): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: DataSource,
          useFactory: (config: AppConfig, watch: ConnectionWatch) => {
            const limits = poolLimits(config, watch);
            return new DataSource(dataSourceOptions({ ...options, limits }, entities));
          },
          inject: [AppConfig, ConnectionWatch],
        },
        { provide: ConnectionWatch, useFactory: () => new ConnectionWatch(options.url) },
        { provide: DatabaseUrl, useValue: new DatabaseUrl(options.url) },
        {
          provide: Database,
          useFactory: (dataSource: DataSource) => new Database(dataSource),
          inject: [DataSource],
        },
        {
          provide: BudgetedQueries,
          useFactory: (config: AppConfig, watch: ConnectionWatch) =>
            new BudgetedQueries({
              url: options.url,
              poolSize: config.databasePoolSize,
              budgetMs: config.queryBudgetMs,
              limits: poolLimits(config, watch),
            }),
          inject: [AppConfig, ConnectionWatch],
        },
        {
          provide: CopyConnections,
          useFactory: (config: AppConfig, watch: ConnectionWatch) =>
            new CopyConnections({
              url: options.url,
              poolSize: config.importConcurrency,
              limits: poolLimits(config, watch),
            }),
          inject: [AppConfig, ConnectionWatch],
        },
      ],
      exports: [Database, BudgetedQueries, CopyConnections, ConnectionWatch, DatabaseUrl],
    };
  }

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(DatabaseUrl) private readonly databaseUrl: DatabaseUrl,
    @Inject(BudgetedQueries) private readonly budgeted: BudgetedQueries,
    @Inject(CopyConnections) private readonly copies: CopyConnections,
    @Inject(ConnectionWatch) private readonly watch: ConnectionWatch,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.dataSource.initialize();
    await migrate(this.dataSource, this.databaseUrl.url);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.budgeted.close();
    await this.copies.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    this.watch.stop();
  }
}

function poolLimits(config: AppConfig, watch: ConnectionWatch): PoolLimits {
  return { waitMs: config.databaseWaitMs, queueLimit: config.databaseQueueLimit, watch };
}
