import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { destination } from 'pino';
import { configFromEnvironment } from '../platform/config/environment';
import { createLogger, NestLogger } from '../platform/logging/logger';
import { openDatabase } from '../platform/process/open-database';
import { stopRequest } from '../platform/process/stop-request';
import { AdminModule } from './admin.module';
import { reportFailure } from './outcome';

/**
 * Runs `work` with the services that commands need, and no HTTP, on the database that a service
 * in this place would use: an embedded one is joined or started, and left as it was found.
 */
export async function withAdminApplication<T>(
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const config = configFromEnvironment();
  // Standard output is the command's own.
  const logger = createLogger({ logLevel: 'warn' }, destination({ fd: 2, sync: true }));
  const stop = stopRequest().made.catch((error: unknown) => reportFailure(error, false));
  const database = await openDatabase(config);
  void stop.then(() => database.release()).finally(() => process.exit(1));
  try {
    const app = await NestFactory.createApplicationContext(
      AdminModule.of(config, database.url, logger),
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
