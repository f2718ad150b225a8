import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Actor, auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { ChangeLogReaders, type LogReader } from '../datagrids/change-log/change-log-readers';
import { AppConfig } from '../platform/config/app-config';
import { WorkspaceContents } from '../workspaces/workspace-contents';
import { EventSource } from './delivery/event-source';
import { LaneEndRepository } from './lane-end.repository';
import { LaneSetRepository } from './lane-set.repository';
import { hostNameOf } from './webhook-health.service';
import { WebhookRepository } from './webhook.repository';
import { attemptMs } from './webhook.service';

/**
 * Registers webhooks as readers of the change log. Entries that they have not read are kept longer.
 * Before a purge, lost changes are stored as events or recorded in the audit log.
 */
@Injectable()
export class WebhookLogReader implements OnModuleInit, LogReader {
  constructor(
    private readonly config: AppConfig,
    private readonly readers: ChangeLogReaders,
    private readonly contents: WorkspaceContents,
    private readonly webhooks: WebhookRepository,
    private readonly lanes: LaneSetRepository,
    private readonly ends: LaneEndRepository,
    private readonly source: EventSource,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.readers.register(this);
    this.contents.registerBeforePurge((...purge) => this.recordLosses(...purge));
  }

  async findReadRevisions(datagridIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const positions = await this.lanes.listReadRevisions(datagridIds);
    return new Map(positions.map(({ datagridId, revision }) => [datagridId, revision]));
  }

  /** Stores the last events of a datagrid. They are delivered when the datagrid no longer exists. */
  async endLog(datagridId: string): Promise<void> {
    const lanes = await this.ends.lockUnfinished(datagridId);
    if (lanes.length === 0) return;
    const ends = lanes.map((lane) => ({ lane, events: this.source.last(lane, lane, lane) }));
    await this.ends.store(datagridId, ends, attemptMs(this.config));
  }

  /** Webhooks are deleted with their workspace. Records those that had something left to deliver. */
  private async recordLosses(accountId: string, workspaceId: string, by: Actor): Promise<void> {
    for (const { id, url, datagrids } of await this.webhooks.listUndelivered(workspaceId)) {
      const target = auditTarget('webhook', id, hostNameOf(url));
      const details = { undeliveredDatagrids: datagrids };
      await this.audit.record(accountId, by, 'webhook_deleted', target, { details });
    }
  }
}
