import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Actor, auditTarget } from '../../auth/audit/audit-action';
import { AuditService } from '../../auth/audit/audit.service';
import { QuotaService } from '../../auth/quota/quota.service';
import type { IfMatch } from '../../common/conditional/if-match';
import type { JsonResponse } from '../../common/envelope/json-response';
import { conflict, notFound } from '../../common/error/app-error';
import { Database } from '../../platform/database/database';
import { WorkspaceContents, type WorkspaceHooks } from '../../workspaces/workspace-contents';
import { WorkspaceService } from '../../workspaces/workspace.service';
import { authorOf } from '../change-log/change-log-sql';
import { type DatagridDto, withFreeDatagridName } from '../dto/datagrid.dto';
import { DatagridService } from '../datagrid.service';
import { LinkTargetService } from '../link/link-target.service';
import { DatagridQuota } from '../quota/quota-count.repository';
import { RowQuota } from '../quota/row-quota';
import { DatagridTrashRepository, type TrashedDatagrid } from './datagrid-trash.repository';

/**
 * Moves datagrids into the trash, restores and purges them. A datagrid that was deleted with its
 * workspace is restored and purged only with it. Locks are taken in this order: the workspace,
 * datagrids, counters.
 */
@Injectable()
export class DatagridTrashService implements OnModuleInit, WorkspaceHooks {
  constructor(
    private readonly database: Database,
    private readonly repository: DatagridTrashRepository,
    private readonly datagrids: DatagridService,
    private readonly workspaces: WorkspaceService,
    private readonly workspaceContents: WorkspaceContents,
    private readonly audit: AuditService,
    private readonly quotas: QuotaService,
    private readonly datagridQuota: DatagridQuota,
    private readonly rowQuota: RowQuota,
    private readonly targets: LinkTargetService,
  ) {}

  onModuleInit(): void {
    this.workspaceContents.register(this);
  }

  /**
   * Moves a datagrid into the trash. Takes effect at once for readers and writers.
   * @throws AppError `not_found`, `precondition_failed` if the datagrid has changed, or `conflict` if
   *   another datagrid links to it.
   */
  async put(accountId: string, id: string, ifMatch: IfMatch, by: Actor): Promise<void> {
    await this.database.transaction(async () => {
      const { name } = await this.datagrids.lockMatching(accountId, id, ifMatch);
      if (!(await this.repository.put(accountId, id, authorOf(by)))) throw notFound('Datagrid');
      await this.targets.rejectLinked(id, authorOf(by));
      const target = auditTarget('datagrid', id, name);
      await this.audit.record(accountId, by, 'datagrid_deleted', target);
    });
  }

  /**
   * Restores a datagrid with its contents.
   * @throws AppError `not_found`, `quota_exceeded`, or `conflict` if its name is taken, or its
   *   workspace or a datagrid that it links to is in the trash.
   */
  async restore(accountId: string, id: string, by: Actor): Promise<JsonResponse<DatagridDto>> {
    return withFreeDatagridName(() =>
      this.withinQuotas(accountId, async () => {
        const { workspaceId, name } = await this.getTrashed(accountId, id);
        if (!(await this.workspaces.hold(accountId, workspaceId))) throw workspaceInTrash();
        await this.targets.prepareRestore(accountId, id);
        if (!(await this.repository.restore(accountId, id, authorOf(by))))
          throw notFound('Datagrid');
        const target = auditTarget('datagrid', id, name);
        await this.audit.record(accountId, by, 'datagrid_restored', target);
        return this.datagrids.get(accountId, id);
      }),
    );
  }

  /**
   * Permanently deletes a datagrid in the trash.
   * @param longerThanSeconds If given, purges only a datagrid that has been in the trash for
   *   longer.
   * @throws AppError `not_found`, or `conflict` if it was deleted with its workspace.
   */
  async purge(accountId: string, id: string, by: Actor, longerThanSeconds?: number): Promise<void> {
    await this.database.transaction(async () => {
      const { isCompanion, name } = await this.getTrashed(accountId, id);
      if (isCompanion) throw wentWithWorkspace();
      if (!(await this.repository.purge(accountId, id, longerThanSeconds)))
        throw notFound('Datagrid');
      const target = auditTarget('datagrid', id, name);
      await this.audit.record(accountId, by, 'datagrid_purged', target);
    });
  }

  async countIn(workspaceId: string): Promise<number> {
    return this.repository.countIn(workspaceId);
  }

  async putAllIn(workspaceId: string, by: Actor): Promise<void> {
    await this.repository.putAllIn(workspaceId, authorOf(by));
  }

  async restoreAllIn(accountId: string, workspaceId: string, by: Actor): Promise<void> {
    const author = authorOf(by);
    await this.withinQuotas(accountId, () => this.repository.restoreAllIn(workspaceId, author));
  }

  async purgeAllIn(workspaceId: string): Promise<void> {
    await this.repository.purgeAllIn(workspaceId);
  }

  /** Runs work within the quotas, in one transaction. */
  private withinQuotas<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const quotas = [this.datagridQuota, this.rowQuota];
    return this.quotas.run(accountId, quotas, () => this.database.transaction(work));
  }

  private async getTrashed(accountId: string, id: string): Promise<TrashedDatagrid> {
    const trashed = await this.repository.find(accountId, id);
    if (!trashed) throw notFound('Datagrid');
    return trashed;
  }
}

function workspaceInTrash(): Error {
  return conflict('The workspace of this datagrid is in the trash. Restore the workspace first.');
}

function wentWithWorkspace(): Error {
  return conflict('This datagrid was deleted with its workspace. Purge the workspace instead.');
}
