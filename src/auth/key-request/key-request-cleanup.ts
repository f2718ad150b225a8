import { Injectable } from '@nestjs/common';
import { BackgroundJobService } from '../../platform/background/background-service';
import type { Job, StepResult } from '../../platform/background/job-turns';
import { AppConfig } from '../../platform/config/app-config';
import { Logger } from '../../platform/logging/logger';
import { type KeyRequestRetention, KeyRequestRepository } from './key-request.repository';
import { KeyRequestService } from './key-request.service';

/** Short, because an account can add a few thousand requests in this time. */
const PAUSE_MS = 60_000;

/** Number of requests of one step. */
const STEP_REQUESTS = 1_000;

/**
 * Deletes requests after REQUEST_LOG_RETENTION_DAYS, and the oldest ones of accounts that have more than
 * MAX_REQUEST_LOG_ENTRIES. Runs in the background of every instance, in short steps, and accounts take
 * turns.
 */
@Injectable()
export class KeyRequestCleanup extends BackgroundJobService {
  private readonly retention: KeyRequestRetention;
  private written: readonly string[] = [];

  constructor(
    config: AppConfig,
    private readonly requests: KeyRequestService,
    private readonly repository: KeyRequestRepository,
    logger: Logger,
  ) {
    super({ name: 'request log cleanup', pauseMs: PAUSE_MS, logger });
    this.retention = {
      days: config.requestLogRetentionDays,
      maxRequests: config.maxRequestLogEntries,
    };
  }

  protected override run(): Promise<number> {
    this.written = this.requests.takeWrittenAccounts();
    return super.run();
  }

  protected override async listJobs(): Promise<Job[]> {
    const accountIds = await this.repository.listExpired(this.retention, this.written);
    return accountIds.map((accountId) => ({
      accountId,
      kind: 'request log cleanup',
      target: { accountId },
      start: () => this.trim(accountId),
    }));
  }

  private async *trim(accountId: string): AsyncGenerator<StepResult, undefined> {
    while ((await this.repository.trim(accountId, this.retention, STEP_REQUESTS)) > 0) yield 'more';
  }
}
