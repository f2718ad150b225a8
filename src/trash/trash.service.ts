import { Injectable } from '@nestjs/common';
import type { Actor } from '../auth/audit/audit-action';
import { JsonResponse } from '../common/envelope/json-response';
import { AppError, notFound } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { DAY_MS } from '../common/time/day';
import { DatagridTrashService } from '../datagrids/trash/datagrid-trash.service';
import { AppConfig } from '../platform/config/app-config';
import { WorkspaceTrashService } from '../workspaces/trash/workspace-trash.service';
import type { Restored, TrashItemDto, TrashKind } from './dto/trash-item.dto';
import { TrashRepository, type ExpiredItem, type TrashRecord } from './trash.repository';

/** Deleted workspaces and datagrids that can be restored. Items of other accounts are not found. */
@Injectable()
export class TrashService {
  private readonly ttlMs: number;
  private readonly services: Readonly<
    Record<TrashKind, WorkspaceTrashService | DatagridTrashService>
  >;

  constructor(
    config: AppConfig,
    private readonly repository: TrashRepository,
    workspace: WorkspaceTrashService,
    datagrid: DatagridTrashService,
  ) {
    this.ttlMs = config.trashRetentionDays * DAY_MS;
    this.services = { workspace, datagrid };
  }

  async list(accountId: string, page: PageRequest): Promise<JsonResponse<TrashItemDto[]>> {
    const [items, total] = await this.repository.list(accountId, page);
    return JsonResponse.page(
      items.map((item) => this.toDto(item)),
      total,
      page,
    );
  }

  /**
   * Restores an item and returns it.
   * @throws AppError `not_found`, or `conflict` if its name is taken or its workspace is in the
   *   trash.
   */
  async restore(accountId: string, id: string, by: Actor): Promise<Restored> {
    return (await this.serviceOf(accountId, id)).restore(accountId, id, by);
  }

  /**
   * Purges an item.
   * @throws AppError `not_found`, or `conflict` for a datagrid that was deleted with its workspace.
   */
  async purge(accountId: string, id: string, by: Actor): Promise<void> {
    await (await this.serviceOf(accountId, id)).purge(accountId, id, by);
  }

  /** Lists expired items: the oldest of each account. */
  async listExpired(): Promise<ExpiredItem[]> {
    return this.repository.listExpired(this.ttlMs / 1_000);
  }

  /** @returns whether the item was purged; `false` if it was restored or purged meanwhile. */
  async purgeExpired({ kind, accountId, id }: ExpiredItem): Promise<boolean> {
    try {
      await this.services[kind].purge(accountId, id, 'service', this.ttlMs / 1_000);
      return true;
    } catch (error) {
      if (error instanceof AppError) return false;
      throw error;
    }
  }

  private async serviceOf(
    accountId: string,
    id: string,
  ): Promise<WorkspaceTrashService | DatagridTrashService> {
    const kind = await this.repository.findKind(accountId, id);
    if (!kind) throw notFound('Trash item');
    return this.services[kind];
  }

  private toDto({ kind, id, workspaceId, name, deletedAt }: TrashRecord): TrashItemDto {
    const expiresAt = new Date(deletedAt.getTime() + this.ttlMs);
    return {
      kind,
      id,
      ...(workspaceId !== null && { workspaceId }),
      name,
      deletedAt: deletedAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    };
  }
}
