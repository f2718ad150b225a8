import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../../platform/background/background-service';
import { type Job, JobTurns, type StepResult } from '../../platform/background/job-turns';
import { RepeatedTask } from '../../platform/background/repeated-task';
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
export class KeyRequestCleanup extends BackgroundService {
  protected override readonly task: RepeatedTask;
  private readonly retention: KeyRequestRetention;
  private written: readonly string[] = [];

  constructor(
    config: AppConfig,
    requests: KeyRequestService,
    private readonly repository: KeyRequestRepository,
    logger: Logger,
  ) {
    super();
    this.retention = {
      days: config.requestLogRetentionDays,
      maxRequests: config.maxRequestLogEntries,
    };
    const turns = new JobTurns({
      list: () => this.list(),
      onFailure: ({ accountId, kind }, err) => {
        logger.pino.warn({ err, accountId }, `${kind} failed`);
      },
      isStopping: () => this.task.isStopping,
    });
    this.task = new RepeatedTask(
      () => {
        this.written = requests.takeWrittenAccounts();
        return turns.run();
      },
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'request log cleanup listing failed');
      },
    );
  }

  private async list(): Promise<Job[]> {
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
