import { Injectable } from '@nestjs/common';
import { type Actor, auditTarget } from '../../auth/audit/audit-action';
import { AuditService } from '../../auth/audit/audit.service';
import { QuotaService } from '../../auth/quota/quota.service';
import type { IfMatch } from '../../common/conditional/if-match';
import type { JsonResponse } from '../../common/envelope/json-response';
import { conflict, notFound } from '../../common/error/app-error';
import { Database } from '../../platform/database/database';
import { withFreeWorkspaceName, type WorkspaceDto } from '../dto/workspace.dto';
import { WorkspaceContents } from '../workspace-contents';
import { WorkspaceQuota, WorkspaceService } from '../workspace.service';
import { WorkspaceTrashRepository } from './workspace-trash.repository';

/**
 * Moves workspaces into the trash, restores and purges them. Always locks the workspace before its
 * contents, so that nothing is added to a workspace while it is deleted.
 */
@Injectable()
export class WorkspaceTrashService {
  constructor(
    private readonly database: Database,
    private readonly repository: WorkspaceTrashRepository,
    private readonly workspaces: WorkspaceService,
    private readonly contents: WorkspaceContents,
    private readonly audit: AuditService,
    private readonly quotas: QuotaService,
    private readonly quota: WorkspaceQuota,
  ) {}

  /**
   * Moves a workspace and its contents into the trash.
   * @throws AppError `not_found`; `precondition_failed` if the workspace has changed; `conflict` if
   *   it contains datagrids and `cascade` is false.
   */
  async put(
    accountId: string,
    id: string,
    cascade: boolean,
    ifMatch: IfMatch,
    by: Actor,
  ): Promise<void> {
    await this.database.transaction(async () => {
      const { name } = await this.workspaces.lockMatching(accountId, id, ifMatch);
      if (cascade) await this.contents.hooks.putAllIn(id, by);
      else if ((await this.contents.hooks.countIn(id)) > 0) throw notEmpty();
      await this.repository.put(accountId, id);
      const target = auditTarget('workspace', id, name);
      await this.audit.record(accountId, by, 'workspace_deleted', target);
    });
  }

  /**
   * Restores a workspace with the datagrids that were deleted with it.
   * @throws AppError `not_found`, `quota_exceeded`, or `conflict` if its name is taken.
   */
  async restore(accountId: string, id: string, by: Actor): Promise<JsonResponse<WorkspaceDto>> {
    return withFreeWorkspaceName(() =>
      this.database.transaction(async () => {
        await this.quotas.hold(accountId);
        return this.quotas.run(accountId, [this.quota], () => this.bringBack(accountId, id, by));
      }),
    );
  }

  private async bringBack(
    accountId: string,
    id: string,
    by: Actor,
  ): Promise<JsonResponse<WorkspaceDto>> {
    if (!(await this.repository.restore(accountId, id))) throw notFound('Workspace');
    await this.contents.hooks.restoreAllIn(accountId, id, by);
    const restored = await this.workspaces.get(accountId, id);
    const target = auditTarget('workspace', id, restored.data.name);
    await this.audit.record(accountId, by, 'workspace_restored', target);
    return restored;
  }

  /**
   * Permanently deletes a workspace in the trash, with all datagrids that were ever deleted in it.
   * @param longerThanSeconds If given, purges only a workspace that has been in the trash for
   *   longer.
   * @throws AppError `not_found`
   */
  async purge(accountId: string, id: string, by: Actor, longerThanSeconds?: number): Promise<void> {
    await this.database.transaction(async () => {
      const locked = await this.repository.lockTrashed(accountId, id, longerThanSeconds);
      if (!locked) throw notFound('Workspace');
      await this.contents.beforePurge(accountId, id, by);
      await this.contents.hooks.purgeAllIn(id);
      await this.repository.delete(accountId, id);
      const target = auditTarget('workspace', id, locked.name);
      await this.audit.record(accountId, by, 'workspace_purged', target);
    });
  }
}

function notEmpty(): Error {
  return conflict('The workspace contains datagrids. Delete them first, or pass cascade=true.');
}
