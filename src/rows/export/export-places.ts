import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { unavailable } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { AccountBytes } from '../../platform/fairness/account-bytes';
import {
  accountShare,
  AccountSemaphore,
  type Release,
} from '../../platform/fairness/account-semaphore';
import type { SpoolRoom } from '../../platform/http/spool-file';
import { StreamPlaces } from '../stream/stream-places';
import { ExportMetrics } from './export-metrics';

/** So many exports wait for their clients for each that is read from PostgreSQL. */
const READERS_PER_PLACE = 4;

/** The right to carry out an export, until it is given back. */
export interface ExportPlace {
  /** Ends the export when its time is over, or the service stops. */
  readonly signal: AbortSignal;
  /** Counts what waits for the client on the disk. */
  readonly spoolRoom: SpoolRoom;
  /** Ends the export half-way. */
  readonly end: (reason: Error) => void;
  /** All is read from PostgreSQL: somebody else may. What is left waits for the client. */
  releaseDatabase(): void;
  release(): void;
}

/**
 * Bounds the exports that are carried out at a time, in all and of each account, and how long each
 * may take. Reading from PostgreSQL needs a connection and holds a snapshot, so that few may; what
 * has been read only takes disk while its client reads it, so that more may.
 */
@Injectable()
export class ExportPlaces implements OnModuleDestroy {
  private readonly running = new Set<AbortController>();
  /** Exports that are not sent to their end. */
  private readonly readers: AccountSemaphore;
  /** Those of them that are read from PostgreSQL. */
  private readonly database: StreamPlaces;
  private readonly spooled: AccountBytes;
  private isStopping = false;

  constructor(
    private readonly config: AppConfig,
    metrics: ExportMetrics,
  ) {
    const { maxConcurrentExports, maxSpoolBytes } = config;
    this.database = new StreamPlaces(maxConcurrentExports, {
      full: 'Too many exports are running. Retry later.',
      accountFull: 'This account has too many exports running. Retry later.',
    });
    const total = maxConcurrentExports * READERS_PER_PLACE;
    this.readers = new AccountSemaphore(
      { total, perAccount: accountShare(total), maxWaiting: 0, maxWaitingPerAccount: 0 },
      {
        full: 'Too many exports are waiting to be read. Retry later.',
        accountFull: 'This account has too many exports waiting to be read. Retry later.',
      },
    );
    this.spooled = new AccountBytes(maxSpoolBytes);
    metrics.watch(() => this.running.size);
  }

  /**
   * Waits for a place, for some seconds.
   * @throws AppError `rate_limited` if the account has used its share, `unavailable` if all places
   *   are taken.
   */
  async take(accountId: string): Promise<ExportPlace> {
    const releaseReader = this.readers.tryAcquire(accountId);
    if (!releaseReader) throw this.readers.rejection(accountId);
    try {
      const releaseDatabase = await this.database.take(accountId);
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

  private begin(accountId: string, releaseDatabase: Release, releaseReader: Release): ExportPlace {
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
