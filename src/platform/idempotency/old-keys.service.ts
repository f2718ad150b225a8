import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '../logging/logger';
import { IdempotencyRepository } from './idempotency.repository';

const PAUSE_MS = 60_000;

/**
 * Forgets keys that are too old, in the background and in small steps. Every replica does; they
 * keep out of each other's way. What fails is tried again after a pause.
 */
@Injectable()
export class OldKeysService implements OnApplicationBootstrap, OnModuleDestroy {
  private lastRun: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private isStopping = false;

  constructor(
    private readonly repository: IdempotencyRepository,
    private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.runAfterPause();
  }

  /** Waits for the step under way, and for no other. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    await this.lastRun;
  }

  /** Forgets every key that is too old. Runs never overlap: it waits for the one under way. */
  async runOnce(): Promise<void> {
    const run = this.lastRun.then(() => this.clearAll());
    this.lastRun = run.catch(() => undefined);
    return run;
  }

  private runAfterPause(): void {
    if (this.isStopping) return;
    this.timer = setTimeout(() => void this.runAndRepeat(), PAUSE_MS).unref();
  }

  private async runAndRepeat(): Promise<void> {
    try {
      await this.runOnce();
    } catch (err) {
      this.logger.pino.warn({ err }, 'old idempotency keys could not be cleared away');
    }
    this.runAfterPause();
  }

  private async clearAll(): Promise<void> {
    while (!this.isStopping && (await this.repository.clear()));
  }
}
