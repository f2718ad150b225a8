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
      ],
      exports: [Database, BudgetedQueries, DatabaseUrl],
    };
  }

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(DatabaseUrl) private readonly databaseUrl: DatabaseUrl,
    @Inject(BudgetedQueries) private readonly budgeted: BudgetedQueries,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.dataSource.initialize();
    await migrate(this.dataSource, this.databaseUrl.url);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.budgeted.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
