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
import { CopyConnections } from './copy-connections';
import { dataSourceOptions, type DatabaseOptions, type EntityClass } from './data-source-options';
import { Database } from './database';
import { DatabaseUrl } from './database-url';
import type { Tracing } from '../tracing/tracing';
import { migrate } from './migrate';
import { TracedDatabase, TracedQueries } from './traced-database';

/**
 * Connects when the application initialises, not when it is put together: the API description
 * can be made without a database.
 */
@Global()
@Module({})
export class DatabaseModule implements OnModuleInit, OnApplicationShutdown {
  static of(
    options: DatabaseOptions,
    entities: readonly EntityClass[],
    tracing?: Tracing,
  ): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        {
          provide: DataSource,
          useFactory: () => new DataSource(dataSourceOptions(options, entities)),
        },
        { provide: DatabaseUrl, useValue: new DatabaseUrl(options.url) },
        {
          provide: Database,
          useFactory: (dataSource: DataSource) =>
            tracing ? new TracedDatabase(dataSource, tracing) : new Database(dataSource),
          inject: [DataSource],
        },
        {
          provide: BudgetedQueries,
          useFactory: ({ databasePoolSize: poolSize, queryBudgetMs: budgetMs }: AppConfig) => {
            const queries = { url: options.url, poolSize, budgetMs };
            return tracing ? new TracedQueries(queries, tracing) : new BudgetedQueries(queries);
          },
          inject: [AppConfig],
        },
        {
          provide: CopyConnections,
          useFactory: ({ importConcurrency }: AppConfig) =>
            new CopyConnections({ url: options.url, poolSize: importConcurrency }),
          inject: [AppConfig],
        },
      ],
      exports: [Database, BudgetedQueries, CopyConnections, DatabaseUrl],
    };
  }

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(DatabaseUrl) private readonly databaseUrl: DatabaseUrl,
    @Inject(BudgetedQueries) private readonly budgeted: BudgetedQueries,
    @Inject(CopyConnections) private readonly copies: CopyConnections,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.dataSource.initialize();
    await migrate(this.dataSource, this.databaseUrl.url);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.budgeted.close();
    await this.copies.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
