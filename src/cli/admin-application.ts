import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { destination } from 'pino';
import { configFromEnvironment } from '../platform/config/environment';
import type { SchemaDemand } from '../platform/database/schema-state';
import { createLogger, NestLogger } from '../platform/logging/logger';
import { openDatabase, requireDatabase } from '../platform/process/open-database';
import { stopRequest } from '../platform/process/stop-request';
import { AdminModule } from './admin.module';
import { reportFailure } from './outcome';

/**
 * Runs `work` with the services that commands need, without HTTP. It uses the database that the
 * service would use with the same environment. If that is the embedded database, the command joins
 * the running one or starts it, and afterwards leaves it as it was.
 * @param schema What the command requires of the schema. A command may create a database only with
 *   `migrate` and `create`.
 */
export async function withAdminApplication<T>(
  schema: SchemaDemand,
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
      AdminModule.of(config, database.url, logger, schema),
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
