import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { unavailable } from '../common/error/app-error';
import { AppConfig } from '../platform/config/app-config';
import { AccountByteCounter } from '../platform/fairness/account-cache';
import type { AccountSemaphore, Release } from '../platform/fairness/account-semaphore';
import { semaphoreOf } from '../platform/fairness/limit';
import { LIMITS } from '../platform/fairness/limits';
import type { SpoolRoom } from '../platform/http/spool';
import { Metrics } from '../platform/metrics/metrics';

/**
 * How an export ended: with all rows, because the client or a limit ended it, or because its rows could
 * not be read.
 */
export type ExportOutcome = 'completed' | 'aborted' | 'failed';

/** Metrics of the exports that this process runs. */
@Injectable()
export class ExportMetrics {
  private readonly ended: Counter<'outcome'>;
  private readonly rows: Counter;

  constructor(private readonly metrics: Metrics) {
    const help = 'Finished exports, by outcome: completed, aborted or failed.';
    this.ended = metrics.counter('exports_total', help, ['outcome']);
    this.rows = metrics.counter('export_rows_total', 'Rows of completed exports.');
  }

  /** Registers a gauge of running exports. @param countRunning Returns their number. */
  watch(countRunning: () => number): void {
    this.metrics.gauge('exports_running', 'Exports in progress.', countRunning);
  }

  /** Counts an export that ended. @param rows Number of rows, if it was completed. */
  end(outcome: ExportOutcome, rows: number): void {
    this.ended.inc({ outcome });
    if (outcome === 'completed') this.rows.inc(rows);
  }
}

/** Permission to run an export, until it is released. */
export interface ExportPermit {
  /** Aborts the export on its time limit, on shutdown, or when `end` is called. */
  readonly signal: AbortSignal;
  /** Counts the bytes on disk that wait for the client. */
  readonly spoolRoom: SpoolRoom;
  /** Aborts the export with a reason. */
  readonly end: (reason: Error) => void;
  /**
   * Lets another export read from PostgreSQL. Called once all rows are read; the remaining bytes
   * wait for the client.
   */
  releaseDatabase(): void;
  release(): void;
}

/**
 * Limits the number of exports in progress, in total and per account, and the time of each. An
 * export that reads from PostgreSQL needs a connection and holds a snapshot, so few are allowed.
 * One that has been read only needs disk space while its client reads it, so more are allowed.
 */
@Injectable()
export class ExportPermits implements OnModuleDestroy {
  private readonly running = new Set<AbortController>();
  /** Exports that are not completely sent. */
  private readonly readers: AccountSemaphore;
  /** Those of them that read from PostgreSQL. */
  private readonly database: AccountSemaphore;
  private readonly spooled: AccountByteCounter;
  private isStopping = false;

  constructor(
    private readonly config: AppConfig,
    metrics: ExportMetrics,
  ) {
    this.database = semaphoreOf(LIMITS.exports, config);
    this.readers = semaphoreOf(LIMITS.unsentExports, config);
    this.spooled = new AccountByteCounter(config.maxSpoolBytes);
    metrics.watch(() => this.running.size);
  }

  /**
   * Acquires a permit. Waits up to 5 seconds until the export may read from PostgreSQL.
   * @throws AppError `rate_limited` if the account has used its share, `unavailable` if all permits
   *   are taken.
   */
  async acquire(accountId: string): Promise<ExportPermit> {
    const releaseReader = this.readers.acquireNow(accountId);
    try {
      const releaseDatabase = await this.database.acquire(accountId);
      return this.begin(accountId, releaseDatabase, releaseReader);
    } catch (error) {
      releaseReader();
      throw error;
    }
  }

  onModuleDestroy(): void {
    this.isStopping = true;
    for (const controller of this.running) controller.abort(stopping());
  }

  private begin(accountId: string, releaseDatabase: Release, releaseReader: Release): ExportPermit {
    const controller = new AbortController();
    this.running.add(controller);
    if (this.isStopping) controller.abort(stopping());
    const end = (reason: Error): void => {
      controller.abort(reason);
    };
    const timer = setTimeout(() => {
      end(unavailable('The export exceeded its time limit.'));
    }, this.config.exportTimeoutSeconds * 1000);
    return {
      signal: controller.signal,
      spoolRoom: {
        tryAdd: (bytes) => this.spooled.tryAdd(accountId, bytes),
        remove: (bytes) => {
          this.spooled.remove(accountId, bytes);
        },
      },
      end,
      releaseDatabase,
      release: () => {
        clearTimeout(timer);
        this.running.delete(controller);
        releaseDatabase();
        releaseReader();
      },
    };
  }
}

function stopping(): Error {
  return unavailable('The service is shutting down. Retry later.');
}
