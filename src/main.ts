import 'reflect-metadata';
import { promisify } from 'node:util';
import { LazyModuleLoader } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from './create-application';
import { DemoModule } from './demo/demo.module';
import { DemoService } from './demo/demo.service';
import { welcome } from './demo/welcome';
import type { AppConfig } from './platform/config/app-config';
import { configFromEnvironment } from './platform/config/environment';
import { createLogger, type Logger } from './platform/logging/logger';
import { ConnectionDrain } from './platform/process/connection-drain';
import { endsWithin } from './platform/process/ends-within';
import { listen } from './platform/process/listen';
import { openDatabase } from './platform/process/open-database';
import { failureText, isExplained } from './platform/process/operator-error';
import { stopRequest } from './platform/process/stop-request';

/** Serves until the process is told to stop. */
async function serve(config: AppConfig, logger: Logger): Promise<void> {
  const stop = stopRequest();
  const graceMs = config.shutdownGraceSeconds * 1000;
  const database = await openDatabase(config, (message) => {
    logger.pino.info(message);
  });
  try {
    const app = await createApplication(config, database.url, logger);
    const drain = new ConnectionDrain(app.getHttpServer());
    try {
      const started = start(app, config, logger, database.isEmbedded);
      // A start is not broken off half-way, unless it takes too long.
      await Promise.race([started, stop.then(() => endsWithin(started, graceMs))]);
      logger.pino.info({ signal: await stop }, 'stopping');
    } finally {
      const allFinished = await drain.close(app, graceMs);
      if (!allFinished) logger.pino.warn('requests were cut off: the grace period is over');
    }
  } finally {
    await database.release();
  }
}

async function start(
  app: NestExpressApplication,
  config: AppConfig,
  logger: Logger,
  isEmbedded: boolean,
): Promise<void> {
  await app.init();
  const demo = isEmbedded ? await loadDemo(app) : undefined;
  await demo?.prepare();
  const origin = await listen(app.getHttpServer(), config.port, config.host);
  logger.pino.info({ url: origin }, 'listening');
  const access = await demo?.firstAccess();
  // Never through the log: the key is for whoever sits in front of this first start.
  if (access) process.stdout.write(welcome(origin, access));
}

async function loadDemo(app: NestExpressApplication): Promise<DemoService> {
  return (await app.get(LazyModuleLoader).load(() => DemoModule)).get(DemoService);
}

async function main(): Promise<void> {
  let logger: Logger | undefined;
  let status = 0;
  try {
    const config = configFromEnvironment();
    logger = createLogger(config);
    await serve(config, logger);
  } catch (error) {
    status = 1;
    if (!isExplained(error)) logger?.pino.fatal({ err: error }, 'the service failed');
    process.stderr.write(`${failureText(error)}\n`);
  }
  if (logger) await promisify(logger.pino.flush.bind(logger.pino))();
  process.exit(status);
}

void main();
