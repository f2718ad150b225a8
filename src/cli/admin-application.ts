import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { destination } from 'pino';
import { AuthModule } from '../auth/auth.module';
import { OauthGrantModule } from '../auth/oauth/grant.module';
import { ProviderModule } from '../auth/provider/provider.module';
import { ScimTokenModule } from '../auth/scim-token/scim-token.module';
import { ConnectionCommandModule } from '../connections/connection-command.module';
import { ENTITIES } from '../entity-list';
import {
  type AppConfig,
  configFromEnvironment,
  ConfigModule,
  configWithService,
} from '../platform/config/app-config';
import { DatabaseModule } from '../platform/database/database.module';
import type { RequiredSchema } from '../platform/database/schema-state';
import { createLogger, type Logger, LoggingModule, NestLogger } from '../platform/logging/logger';
import { openDatabase, requireDatabase } from '../platform/process/open-database';
import { stopRequest } from '../platform/process/stop-request';
import { readWrappingKeys } from '../platform/secrets/key-file';
import { SecretsModule } from '../platform/secrets/sealer';
import { VerifyModule } from '../verification/verify.module';
import { WebhookCommandModule } from '../webhooks/webhook-command.module';
import { reportFailure } from './outcome';
import { RoutesModule } from '../platform/routes/routes.module';

/**
 * Runs `work` with the services that commands need, without HTTP. It uses the database that the
 * service would use with the same environment. If that is the embedded database, the command joins
 * the running one or starts it, and afterwards leaves it as it was.
 * @param schema What the command requires of the schema. A command may create a database only with
 *   `migrate` and `create`.
 */
export async function withAdminApplication<T>(
  schema: RequiredSchema,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const config = configFromEnvironment();
  if (schema === 'current' || schema === 'exact') await requireDatabase(config);
  // Standard output is reserved for the output of the command.
  const logger = createLogger({ logLevel: 'warn' }, destination({ fd: 2, sync: true }));
  const stop = stopRequest().made.catch((error: unknown) => reportFailure(error, false));
  const database = await openDatabase(config);
  void stop.then(() => database.release()).finally(() => process.exit(1));
  try {
    const app = await NestFactory.createApplicationContext(
      AdminModule.of(
        configWithService(config, await database.findServiceUrl()),
        database.url,
        logger,
        schema,
      ),
      { logger: new NestLogger(logger), abortOnError: false },
    );
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  } finally {
    await database.release();
  }
}

/** One connection is enough: a command runs its statements one after another. */
const POOL_SIZE = 1;

/** Application modules that the commands need. */
@Module({})
export class AdminModule {
  static of(
    config: AppConfig,
    databaseUrl: string,
    logger: Logger,
    schema: RequiredSchema = 'migrate',
  ): DynamicModule {
    return {
      module: AdminModule,
      imports: [
        ConfigModule.of(config),
        LoggingModule.of(logger),
        SecretsModule.of(readWrappingKeys(config)),
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
        RoutesModule,
        AuthModule,
        OauthGrantModule,
        ProviderModule,
        ScimTokenModule,
        VerifyModule,
        WebhookCommandModule,
        ConnectionCommandModule,
      ],
    };
  }
}
