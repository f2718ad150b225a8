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
import {
  dataSourceOptions,
  isPooled,
  type DatabaseOptions,
  type EntityClass,
} from './data-source-options';
import { Database } from './database';
import { DatabaseUrl } from './database-url';
import { migrate } from './migrate';

const DATABASE_OPTIONS = Symbol('database options');

/**
 * Connects when the application initialises, not when it is put together: the API description
 * can be made without a database.
 */
@Global()
@Module({})
export class DatabaseModule implements OnModuleInit, OnApplicationShutdown {
  static of(options: DatabaseOptions, entities: readonly EntityClass[]): DynamicModule {
    const directUrl = options.directUrl ?? options.url;
    return {
      module: DatabaseModule,
      providers: [
        { provide: DATABASE_OPTIONS, useValue: options },
        {
          provide: DataSource,
          useFactory: () => new DataSource(dataSourceOptions(options, entities)),
        },
        { provide: DatabaseUrl, useValue: new DatabaseUrl(directUrl) },
        {
          provide: Database,
          useFactory: (dataSource: DataSource) => new Database(dataSource, options.prepares),
          inject: [DataSource],
        },
        {
          provide: BudgetedQueries,
          useFactory: ({ databasePoolSize, queryBudgetMs }: AppConfig) =>
            new BudgetedQueries({
              url: options.url,
              poolSize: databasePoolSize,
              budgetMs: queryBudgetMs,
              isPooled: isPooled(options),
              prepares: options.prepares ?? true,
            }),
          inject: [AppConfig],
        },
        {
          provide: CopyConnections,
          useFactory: ({ importConcurrency }: AppConfig) =>
            new CopyConnections({ url: directUrl, poolSize: importConcurrency }),
          inject: [AppConfig],
        },
      ],
      exports: [Database, BudgetedQueries, CopyConnections, DatabaseUrl],
    };
  }

  constructor(
    @Inject(DataSource) private readonly dataSource: DataSource,
    @Inject(DATABASE_OPTIONS) private readonly options: DatabaseOptions,
    @Inject(BudgetedQueries) private readonly budgeted: BudgetedQueries,
    @Inject(CopyConnections) private readonly copies: CopyConnections,
  ) {}

  async onModuleInit(): Promise<void> {
    await migrate(this.options);
    await this.dataSource.initialize();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.budgeted.close();
    await this.copies.close();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
