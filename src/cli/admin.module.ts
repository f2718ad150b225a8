import { Module, type DynamicModule } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ENTITIES } from '../entity-list';
import type { AppConfig } from '../platform/config/app-config';
import { ConfigModule } from '../platform/config/config.module';
import { DatabaseModule } from '../platform/database/database.module';
import type { SchemaDemand } from '../platform/database/schema-state';
import type { Logger } from '../platform/logging/logger';
import { LoggingModule } from '../platform/logging/logging.module';
import { VerifyModule } from '../rows/verify/verify.module';

/** One connection is enough: a command runs its statements one after another. */
const POOL_SIZE = 1;

/** Application modules that the commands need. */
@Module({})
export class AdminModule {
  static of(
    config: AppConfig,
    databaseUrl: string,
    logger: Logger,
    schema: SchemaDemand = 'migrate',
  ): DynamicModule {
    return {
      module: AdminModule,
      imports: [
        ConfigModule.of(config),
        LoggingModule.of(logger),
        DatabaseModule.of(
          // Bypasses a connection pooler, because a command may run for a long time.
          {
            url: config.databaseDirectUrl ?? databaseUrl,
            schema,
            poolSize: POOL_SIZE,
            lockTimeoutMs: config.lockTimeoutMs,
          },
          ENTITIES,
        ),
        AuthModule,
        VerifyModule,
      ],
    };
  }
}
