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
import { AppliedMigrations } from './applied-migrations';
import { BudgetedQueries } from './budgeted-queries';
import { CopyConnections } from './copy-connections';
import { dataSourceOptions, type DatabaseOptions, type EntityClass } from './data-source-options';
import { Database } from './database';
import { DatabaseUrl } from './database-url';
import { migrate } from './migrate';

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
        AppliedMigrations,
        {
          provide: DataSource,
          useFactory: () => new DataSource(dataSourceOptions(options, entities)),
        },
        { provide: DatabaseUrl, useValue: new DatabaseUrl(options.url) },
        {
          provide: Database,
          useFactory: (dataSource: DataSource) => new Database(dataSource),
          inject: [DataSource],
        },
        {
          provide: BudgetedQueries,
          useFactory: ({ databasePoolSize, queryBudgetMs }: AppConfig) =>
            new BudgetedQueries({
              url: options.url,
              poolSize: databasePoolSize,
              budgetMs: queryBudgetMs,
            }),
          inject: [AppConfig],
        },
        {
          provide: CopyConnections,
          useFactory: ({ importConcurrency }: AppConfig) =>
            new CopyConnections({ url: options.url, poolSize: importConcurrency }),
          inject: [AppConfig],
        },
      ],
      exports: [AppliedMigrations, Database, BudgetedQueries, CopyConnections, DatabaseUrl],
    };
  }

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(DatabaseUrl) private readonly databaseUrl: DatabaseUrl,
    @Inject(BudgetedQueries) private readonly budgeted: BudgetedQueries,
    @Inject(CopyConnections) private readonly copies: CopyConnections,
    @Inject(AppliedMigrations) private readonly applied: AppliedMigrations,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.dataSource.initialize();
    this.applied.names = await migrate(this.dataSource, this.databaseUrl.url);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.budgeted.close();
    await this.copies.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
