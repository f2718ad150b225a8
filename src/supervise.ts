import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { collectDefaultMetrics } from 'prom-client';
import { type AppConfig, serviceUrls } from './platform/config/app-config';
import { maxDatabaseConnections } from './platform/config/worker-shares';
import { requireConnections } from './platform/database/connection-limit';
import { AccountActivity } from './platform/fairness/account-activity';
import { ACTIVE_ACCOUNTS } from './platform/fairness/activity-exchange';
import { ACQUIRE, ADD_BYTES, RELEASE, REMOVE_BYTES } from './platform/fairness/instance-limits';
import { InstancePermits } from './platform/fairness/instance-permits';
import { createLogger, LogDestination, type Logger } from './platform/logging/logger';
import { Metrics } from './platform/metrics/metrics';
import { MetricsEndpoint } from './platform/metrics/metrics-endpoint';
import { WorkerMetrics } from './platform/metrics/worker-metrics';
import { listen } from './platform/process/listen';
import { openUntilStop, type OpenedDatabase } from './platform/process/open-database';
import { reportStop, runProgram, warnOfSettings } from './platform/process/run-program';
import type { StopRequest } from './platform/process/stop-request';
import { WorkerPool } from './platform/process/worker-pool';
import { COUNT, InstanceCounts } from './platform/throttling/instance-counts';

/** Program of a worker, in the form in which this module was loaded. */
const WORKER = join(__dirname, `worker${extname(__filename)}`);

/**
 * Runs an instance with several workers until it stops: opens the database, starts the workers, counts
 * what they share, and serves their metrics. Requests are served by the workers only.
 * @returns the exit status of the process.
 */
export function supervise(stop: StopRequest): Promise<number> {
  const output = new LogDestination(1);
  return runProgram(
    stop,
    async (config, logger) => {
      warnOfSettings(config, logger);
      reportStop(logger, stop);
      if (stop.isMade()) return;
      const database = await openUntilStop(config, logger, stop);
      if (!database) return;
      try {
        if (stop.isMade()) return;
        const pool = new WorkerPool({
          program: WORKER,
          count: config.workers,
          order: {
            databaseUrl: database.url,
            isEmbedded: database.isEmbedded,
            port: await portOf(config),
          },
          graceMs: config.shutdownGraceSeconds * 1000,
          logger,
          write: (lines) => {
            output.write(lines);
          },
        });
        shareLimits(pool);
        await runPool(pool, config, logger, database, stop);
      } finally {
        await database.release();
      }
    },
    (config) => createLogger(config, output, { pid: process.pid }),
  );
}

/**
 * Returns the port, or a free one. A port that the workers choose would change if all of them ended at
 * once.
 */
async function portOf({ port, host }: AppConfig): Promise<number> {
  if (port !== 0) return port;
  const server = createServer();
  const origin = await listen(server, port, host);
  await new Promise((resolve) => server.close(resolve));
  return Number(new URL(origin).port);
}

async function runPool(
  pool: WorkerPool,
  config: AppConfig,
  logger: Logger,
  database: OpenedDatabase,
  stop: StopRequest,
): Promise<void> {
  const endpoint = metricsOf(pool, config, logger);
  try {
    await endpoint.start(config);
    await Promise.race([startAll(pool, config, logger, database, stop), stop.made]);
    await Promise.race([stop.made, pool.failed]);
  } finally {
    await pool.stop();
    await endpoint.stop();
  }
}

async function startAll(
  pool: WorkerPool,
  config: AppConfig,
  { pino }: Logger,
  database: OpenedDatabase,
  stop: StopRequest,
): Promise<void> {
  await pool.startFirst();
  const { url } = database;
  const direct = config.databaseDirectUrl ?? url;
  await requireConnections(direct, maxDatabaseConnections(config, direct !== url), config.workers);
  if (stop.isMade()) return;
  const origin = await pool.startOthers();
  await database.announce(serviceUrls(config, origin));
  pino.info({ url: origin, workers: config.workers }, 'listening');
}

/** Counts for all workers together what is limited for the instance. */
function shareLimits(pool: WorkerPool): void {
  const counts = new InstanceCounts();
  pool.handle(COUNT, (requests) => counts.count(requests));
  const activity = new AccountActivity();
  pool.handle(ACTIVE_ACCOUNTS, (accountIds, { id }) => {
    activity.recordReported(accountIds);
    const others = pool.running.filter((worker) => worker.id !== id);
    for (const { channel } of others) channel.tell(ACTIVE_ACCOUNTS, accountIds);
  });
  const permits = new InstancePermits(activity);
  pool.handle(ACQUIRE, (request, { id }) => permits.acquire(id, request));
  pool.handle(RELEASE, ({ permit }, { id }) => {
    permits.release(id, permit);
  });
  pool.handle(ADD_BYTES, (request, { id }) => permits.addBytes(id, request));
  pool.handle(REMOVE_BYTES, (request, { id }) => {
    permits.removeBytes(id, request);
  });
  pool.onExit(({ id }) => {
    permits.releaseAll(id);
  });
}

/** Creates the endpoint of the metrics of all workers and of this process. */
function metricsOf(pool: WorkerPool, config: AppConfig, logger: Logger): MetricsEndpoint {
  const ofWorkers = new WorkerMetrics();
  pool.onExit(({ id }) => {
    ofWorkers.end(id);
  });
  const own = new Metrics();
  // The memory and CPU time of this process count, too.
  if (config.metricsPort !== undefined) collectDefaultMetrics({ register: own.registry });
  own.gauge('workers_ready', 'Workers that serve requests.', () => pool.readyCount);
  own.counters('workers_replaced_total', 'Workers that ended and were replaced.', [], () => [
    [{}, pool.replaced],
  ]);
  return new MetricsEndpoint(logger, () => ofWorkers.print(pool.running, own.registry));
}
