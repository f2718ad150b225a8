import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { AppError, unavailable } from '../../common/error/app-error';
import { AppConfig } from '../../platform/config/app-config';
import { ExportMetrics } from './export-metrics';

const RETRY_AFTER_SECONDS = 5;

/** The right to carry out an export, until it is given back. */
export interface ExportPlace {
  /** Ends the export when its time is over, or the service stops. */
  readonly signal: AbortSignal;
  release(): void;
}

/** Bounds the exports that are carried out at a time, and how long each may take. */
@Injectable()
export class ExportPlaces implements OnModuleDestroy {
  private readonly taken = new Set<AbortController>();

  constructor(
    private readonly config: AppConfig,
    metrics: ExportMetrics,
  ) {
    metrics.watch(() => this.taken.size);
  }

  /** @throws AppError `unavailable` where all are taken. */
  take(): ExportPlace {
    const { exportConcurrency, exportSeconds } = this.config;
    if (this.taken.size >= exportConcurrency) {
      const message = 'As many exports are running as may at a time.';
      const headers = { 'Retry-After': String(RETRY_AFTER_SECONDS) };
      throw new AppError('unavailable', message, { headers });
    }
    const controller = new AbortController();
    this.taken.add(controller);
    const timer = setTimeout(() => {
      controller.abort(unavailable('The time that an export may take is over.'));
    }, exportSeconds * 1000);
    return {
      signal: controller.signal,
      release: () => {
        clearTimeout(timer);
        this.taken.delete(controller);
      },
    };
  }

  onModuleDestroy(): void {
    for (const controller of this.taken) controller.abort(unavailable('The service is stopping.'));
  }
}
