import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../platform/background/background-service';
import { RepeatedTask } from '../platform/background/repeated-task';
import { Logger } from '../platform/logging/logger';
import { AuditService } from '../auth/audit/audit.service';
import { InviteService } from '../auth/invite/invite.service';
import { KeyUsageService } from '../auth/key-usage/key-usage.service';
import { SessionService } from '../auth/session/session.service';

const PAUSE_MS = 3_600_000;

/**
 * Deletes expired sessions, invite links, key usage and audit events in the background. Runs on
 * every replica, but not in commands, which use the same services.
 */
@Injectable()
export class MaintenanceService extends BackgroundService {
  protected override readonly task: RepeatedTask;

  constructor(
    private readonly sessions: SessionService,
    private readonly invites: InviteService,
    private readonly usage: KeyUsageService,
    private readonly audit: AuditService,
    logger: Logger,
  ) {
    super();
    this.task = new RepeatedTask(
      () => this.clear(),
      PAUSE_MS,
      (err) => {
        logger.pino.warn({ err }, 'expired data cleanup failed');
      },
    );
  }

  private async clear(): Promise<number> {
    await this.sessions.clear();
    await this.invites.clear();
    await this.usage.clear();
    await this.audit.clear();
    return 0;
  }
}
