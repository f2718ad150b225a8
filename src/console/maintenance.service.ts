import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RepeatedTask } from '../platform/background/repeated-task';
import { Logger } from '../platform/logging/logger';
import { AuditService } from '../auth/audit/audit.service';
import { InviteService } from '../auth/invite/invite.service';
import { KeyUsageService } from '../auth/key-usage/key-usage.service';
import { SessionService } from '../auth/session/session.service';

const PAUSE_MS = 3_600_000;

/**
 * Forgets sessions, links, usage and audit events that are too old, in the background. Every replica
 * does; commands, which share the services that are asked here, do not.
 */
@Injectable()
export class MaintenanceService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: RepeatedTask;

  constructor(
    private readonly sessions: SessionService,
    private readonly invites: InviteService,
    private readonly usage: KeyUsageService,
    private readonly audit: AuditService,
    logger: Logger,
  ) {
    this.task = new RepeatedTask(
      () => this.clear(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'expired data cleanup failed');
      },
    );
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  /** Waits for the step in progress. */
  async onModuleDestroy(): Promise<void> {
    await this.task.stop();
  }

  async runOnce(): Promise<void> {
    await this.task.runOnce();
  }

  private async clear(): Promise<number> {
    await this.sessions.clear();
    await this.invites.clear();
    await this.usage.clear();
    await this.audit.clear();
    return 0;
  }
}
