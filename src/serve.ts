import 'reflect-metadata';
import { LazyModuleLoader } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createApplication } from './create-application';
import { DemoModule } from './demo/demo.module';
import { DemoService, welcome } from './demo/demo.service';
import { type AppConfig, serviceUrls } from './platform/config/app-config';
import { DatabaseStartup, OpeningAbandonedError } from './platform/database/database-opening';
import { HealthService } from './platform/health/health.service';
import type { FastExpressAdapter } from './platform/http/fast-express-adapter';
import type { Logger } from './platform/logging/logger';
import { OpenApiDescription } from './platform/openapi/openapi.controller';
import { ConnectionDrain } from './platform/process/connection-drain';
import { listen } from './platform/process/listen';
import { openUntilStop, type OpenedDatabase } from './platform/process/open-database';
import { reportStop, runProgram, warnOfSettings } from './platform/process/run-program';
import type { StopRequest } from './platform/process/stop-request';
import { endsWithin } from './platform/time/ends-within';

/**
 * Runs the service, from reading its settings until it stops.
 * @returns the exit status of the process.
 */
export function run(stop: StopRequest): Promise<number> {
  return runProgram(stop, async (config, logger) => {
    warnOfSettings(config, logger);
    reportStop(logger, stop);
    if (stop.isMade()) return;
    const database = await openUntilStop(config, logger, stop);
    if (database) await new Service(config, logger, database, stop).serve();
  });
}

/** The service in this process. */
class Service {
  constructor(
    private readonly config: AppConfig,
    private readonly logger: Logger,
    private readonly database: OpenedDatabase,
    private readonly stop: StopRequest,
  ) {}

  /**
   * Serves until the process is asked to stop. A startup that is asked to stop ends at the next point
   * where it can be interrupted.
   */
  async serve(): Promise<void> {
    const { config, logger, database, stop } = this;
    const graceMs = config.shutdownGraceSeconds * 1000;
    try {
      if (stop.isMade()) return;
      const app = await createApplication(config, database.url, logger);
      app.get(OpenApiDescription).prepare();
      const drain = new ConnectionDrain(app.getHttpServer());
      try {
        const started = this.start(app);
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

  private async start(app: NestExpressApplication): Promise<void> {
    if (this.stop.isMade()) return;
    if (this.database.isEmbedded) await this.startWithDemo(app);
    else await this.startBesideDatabase(app);
  }

  private async startWithDemo(app: NestExpressApplication): Promise<void> {
    await app.init();
    if (this.stop.isMade()) return;
    const demo = await loadDemo(app);
    await demo.prepare();
    if (this.stop.isMade()) return;
    const origin = await this.listen(app);
    await this.announce(origin);
    const access = await demo.firstAccess();
    // Written to standard output, never to the log: the key and the password are meant only for the
    // person who starts the service for the first time.
    if (access) process.stdout.write(welcome(origin, access));
  }

  /**
   * Listens at once, and serves requests when the database is ready. Until then the process is live
   * but not ready, regardless of how long the database is unavailable or the migration takes.
   */
  private async startBesideDatabase(app: NestExpressApplication): Promise<void> {
    const adapter = app.getHttpAdapter() as unknown as FastExpressAdapter;
    adapter.isStarting = true;
    const origin = await this.listen(app);
    if (!(await this.initialize(app))) return;
    adapter.isStarting = false;
    await this.announce(origin);
  }

  /** Waits for the database. @returns whether it is ready; false if the process is asked to stop. */
  private async initialize(app: NestExpressApplication): Promise<boolean> {
    const abandon = (): void => {
      app.get(DatabaseStartup).abandon();
    };
    this.stop.made.then(abandon, abandon);
    try {
      await app.init();
      return true;
    } catch (error) {
      if (error instanceof OpeningAbandonedError) return false;
      throw error;
    }
  }

  private listen(app: NestExpressApplication): Promise<string> {
    return listen(app.getHttpServer(), this.config.port, this.config.host);
  }

  /** Announces to commands and in the log that the service is ready. */
  private async announce(url: string): Promise<void> {
    await this.database.announce(serviceUrls(this.config, url));
    this.logger.pino.info({ url }, 'listening');
  }
}

async function loadDemo(app: NestExpressApplication): Promise<DemoService> {
  return (await app.get(LazyModuleLoader).load(() => DemoModule)).get(DemoService);
}
