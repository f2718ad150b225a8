import 'reflect-metadata';
import { LazyModuleLoader } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from './create-application';
import { DemoModule } from './demo/demo.module';
import { DemoService, welcome } from './demo/demo.service';
import {
  type AppConfig,
  configFromEnvironment,
  unknownInEnvironment,
} from './platform/config/app-config';
import { unknownSettingText } from './platform/config/unknown-settings';
import { DatabaseStartup, OpeningAbandonedError } from './platform/database/database-opening';
import { HealthService } from './platform/health/health.service';
import type { FastExpressAdapter } from './platform/http/fast-express-adapter';
import { createLogger, flushLog, type Logger } from './platform/logging/logger';
import { OpenApiDescription } from './platform/openapi/openapi.controller';
import { ConnectionDrain } from './platform/process/connection-drain';
import { listen } from './platform/process/listen';
import { openDatabase, type OpenedDatabase } from './platform/process/open-database';
import { failureText, isExplained } from './platform/process/operator-error';
import type { StopRequest } from './platform/process/stop-request';
import { endsWithin } from './platform/time/ends-within';

/**
 * Runs the service from reading its settings until it stops.
 * @returns the exit status of the process.
 */
export async function run(stop: StopRequest): Promise<number> {
  let logger: Logger | undefined;
  let status = 0;
  try {
    const config = configFromEnvironment();
    logger = createLogger(config);
    warnOfUnknownSettings(logger);
    warnOfClearSecrets(config, logger);
    reportStop(logger, stop);
    await serve(config, logger, stop);
    await stop.made;
  } catch (error) {
    status = 1;
    if (!isExplained(error)) logger?.pino.fatal({ err: error }, 'service failed');
    process.stderr.write(`${failureText(error)}\n`);
  }
  if (logger) await flushLog(logger);
  return status;
}

/**
 * Warns of unknown settings. Without the warning a misspelled setting has no visible effect: a
 * quota is missing, or a limit is not enforced.
 */
function warnOfUnknownSettings({ pino }: Logger): void {
  for (const unknown of unknownInEnvironment()) {
    pino.warn(unknown, 'unknown setting');
    process.stderr.write(`${unknownSettingText(unknown)}\n`);
  }
}

/** Warns if secrets of users are stored as they are. The embedded database has a key file of its own. */
function warnOfClearSecrets({ databaseUrl, secretsKeyFile }: AppConfig, { pino }: Logger): void {
  if (databaseUrl === undefined || secretsKeyFile !== undefined) return;
  pino.warn('SECRETS_KEY_FILE is not set, secrets are stored in clear');
}

/**
 * Serves until the process is asked to stop. A startup that is asked to stop ends at the next point
 * where it can be interrupted.
 */
async function serve(config: AppConfig, logger: Logger, stop: StopRequest): Promise<void> {
  if (stop.isMade()) return;
  const graceMs = config.shutdownGraceSeconds * 1000;
  const database = await open(config, logger, stop);
  if (!database) return;
  try {
    if (stop.isMade()) return;
    const app = await createApplication(config, database.url, logger);
    app.get(OpenApiDescription).prepare();
    const drain = new ConnectionDrain(app.getHttpServer());
    try {
      const started = start(app, config, logger, database.isEmbedded, stop);
      // A startup step is not interrupted unless it takes longer than the grace period.
      await Promise.race([started, stop.made.then(() => endsWithin(started, graceMs))]);
      await stop.made;
    } finally {
      app.get(HealthService).stop();
      const allFinished = await drain.close(app, graceMs);
      if (!allFinished) logger.pino.warn('grace period exceeded, requests aborted');
    }
  } finally {
    await database.release();
  }
}

/**
 * Opens the database.
 * @returns `null` if opening fails after the process was asked to stop. Ctrl-C may terminate
 *   initdb, too.
 */
async function open(
  config: AppConfig,
  { pino }: Logger,
  stop: StopRequest,
): Promise<OpenedDatabase | null> {
  try {
    return await openDatabase(config, (message) => {
      pino.info(message);
    });
  } catch (error) {
    if (!stop.isMade()) throw error;
    pino.warn({ err: error }, 'database opening failed');
    return null;
  }
}

function reportStop({ pino }: Logger, stop: StopRequest): void {
  const report = (signal: NodeJS.Signals): void => {
    pino.info({ signal }, 'stopping');
  };
  // A stop that is not caused by a signal is reported as the failure that caused it.
  stop.made.then(report, () => undefined);
}

async function start(
  app: NestExpressApplication,
  config: AppConfig,
  logger: Logger,
  isEmbedded: boolean,
  stop: StopRequest,
): Promise<void> {
  if (stop.isMade()) return;
  if (!isEmbedded) {
    await startBesideDatabase(app, config, logger, stop);
    return;
  }
  await app.init();
  if (stop.isMade()) return;
  const demo = await loadDemo(app);
  await demo.prepare();
  if (stop.isMade()) return;
  const origin = await listen(app.getHttpServer(), config.port, config.host);
  logger.pino.info({ url: origin }, 'listening');
  const access = await demo.firstAccess();
  // Written to standard output, never to the log: the key and the password are meant only for the
  // person who starts the service for the first time.
  if (access) process.stdout.write(welcome(origin, access));
}

/**
 * Listens at once, and serves requests when the database is ready. Until then the process is live
 * but not ready, regardless of how long the database is unavailable or the migration takes.
 */
async function startBesideDatabase(
  app: NestExpressApplication,
  config: AppConfig,
  { pino }: Logger,
  stop: StopRequest,
): Promise<void> {
  const adapter = app.getHttpAdapter() as unknown as FastExpressAdapter;
  const abandon = (): void => {
    app.get(DatabaseStartup).abandon();
  };
  stop.made.then(abandon, abandon);
  adapter.isStarting = true;
  const origin = await listen(app.getHttpServer(), config.port, config.host);
  try {
    await app.init();
  } catch (error) {
    if (error instanceof OpeningAbandonedError) return;
    throw error;
  }
  adapter.isStarting = false;
  pino.info({ url: origin }, 'listening');
}

async function loadDemo(app: NestExpressApplication): Promise<DemoService> {
  return (await app.get(LazyModuleLoader).load(() => DemoModule)).get(DemoService);
}
