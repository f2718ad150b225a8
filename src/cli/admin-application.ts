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
 * Runs `work` with the services that commands need, and no HTTP, on the database that a service
 * in this place would use: an embedded one is joined or started, and left as it was found.
 * @param schema What the command asks of it. Only with `migrate` and `create` may the command make a database.
 */
export async function withAdminApplication<T>(
  schema: SchemaDemand,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const config = configFromEnvironment();
  if (schema === 'current' || schema === 'exact') await requireDatabase(config);
  // Standard output is the command's own.
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
