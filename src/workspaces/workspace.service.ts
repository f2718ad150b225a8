import { Injectable } from '@nestjs/common';
import { type Actor, auditTarget } from '../auth/audit/audit-action';
import { AuditService } from '../auth/audit/audit.service';
import { type Quota, QuotaService } from '../auth/quota/quota.service';
import type { IfMatch } from '../common/conditional/if-match';
import { JsonResponse } from '../common/envelope/json-response';
import { notFound } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { foldName, newId } from '../common/text/id';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import { etagOf } from '../platform/http/etag';
import {
  type CreateWorkspaceDto,
  type UpdateWorkspaceDto,
  withFreeWorkspaceName,
  type WorkspaceDto,
} from './dto/workspace.dto';
import {
  type ListedWorkspace,
  type WorkspaceRecord,
  WorkspaceRepository,
} from './workspace.repository';

@Injectable()
export class WorkspaceQuota implements Quota {
  readonly kind = 'workspaces';
  readonly max: number | undefined;

  constructor(
    { quotaWorkspaces }: AppConfig,
    private readonly repository: WorkspaceRepository,
  ) {
    this.max = quotaWorkspaces;
  }

  async count(accountId: string): Promise<number> {
    return this.repository.count(accountId);
  }
}

/** Workspaces of one account. A workspace of another account or in the trash is not found. */
@Injectable()
export class WorkspaceService {
  constructor(
    private readonly database: Database,
    private readonly repository: WorkspaceRepository,
    private readonly audit: AuditService,
    private readonly quotas: QuotaService,
    private readonly quota: WorkspaceQuota,
  ) {}

  /** @throws AppError `conflict` if the name is taken, `quota_exceeded`. */
  async create(
    accountId: string,
    body: CreateWorkspaceDto,
    by: Actor,
  ): Promise<JsonResponse<WorkspaceDto>> {
    const now = new Date();
    const workspace: WorkspaceRecord = {
      id: newId(),
      accountId,
      name: body.name,
      nameKey: foldName(body.name),
      description: body.description ?? '',
      createdAt: now,
      updatedAt: now,
      version: 1,
    };
    const { id, name } = workspace;
    await withFreeWorkspaceName(() =>
      this.quotas.run(accountId, [this.quota], () =>
        this.database.transaction(async () => {
          await this.repository.insert(workspace);
          const target = auditTarget('workspace', id, name);
          await this.audit.record(accountId, by, 'workspace_created', target);
        }),
      ),
    );
    return toItem(workspace);
  }

  /** @param ids Lists only these workspaces; `null` lists all of the account. */
  async list(
    accountId: string,
    ids: readonly string[] | null,
    page: PageRequest,
  ): Promise<JsonResponse<WorkspaceDto[]>> {
    const [workspaces, total] = await this.repository.list(accountId, ids, page);
    return JsonResponse.page(workspaces.map(toDto), total, page);
  }

  /** @throws AppError `not_found` */
  async get(accountId: string, id: string): Promise<JsonResponse<WorkspaceDto>> {
    return toItem(found(await this.repository.find(accountId, id)));
  }

  /**
   * @throws AppError `not_found`, `precondition_failed` if the workspace has changed, or `conflict`
   *   if the name is taken.
   */
  async update(
    accountId: string,
    id: string,
    body: UpdateWorkspaceDto,
    ifMatch: IfMatch,
  ): Promise<JsonResponse<WorkspaceDto>> {
    const { name, description } = body;
    const change = {
      ...(name !== undefined && { name, nameKey: foldName(name) }),
      ...(description !== undefined && { description }),
    };
    return withFreeWorkspaceName(() =>
      this.database.transaction(async () => {
        await this.lockMatching(accountId, id, ifMatch);
        return toItem(found(await this.repository.update(accountId, id, change)));
      }),
    );
  }

  /**
   * Locks a workspace that matches `ifMatch` until the end of the transaction. Use inside a
   * transaction.
   * @throws AppError `not_found`, or `precondition_failed` if the workspace has changed.
   */
  async lockMatching(accountId: string, id: string, ifMatch: IfMatch): Promise<WorkspaceDto> {
    const workspace = found(await this.repository.lock(accountId, id));
    ifMatch.require(toItem(workspace).etag);
    return toDto(workspace);
  }

  /**
   * Prevents the workspace from being deleted until the end of the transaction. Use inside a
   * transaction.
   * @returns whether there is such a workspace outside the trash.
   */
  async hold(accountId: string, id: string): Promise<boolean> {
    return this.repository.hold(accountId, id);
  }
}

function toItem(workspace: WorkspaceRecord): JsonResponse<WorkspaceDto> {
  const data = toDto(workspace);
  return JsonResponse.of(data, etagOf(data, String(workspace.version)));
}

function toDto(workspace: ListedWorkspace): WorkspaceDto {
  return {
    id: workspace.id,
    name: workspace.name,
    description: workspace.description,
    createdAt: workspace.createdAt.toISOString(),
    updatedAt: workspace.updatedAt.toISOString(),
  };
}

function found(workspace: WorkspaceRecord | null): WorkspaceRecord {
  if (!workspace) throw notFound('Workspace');
  return workspace;
}
