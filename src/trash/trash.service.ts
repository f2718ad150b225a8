import { Injectable } from '@nestjs/common';
import type { Actor } from '../auth/audit/actor';
import { Page } from '../common/envelope/page';
import { AppError, notFound } from '../common/error/app-error';
import type { PageRequest } from '../common/paging/page-request';
import { DatagridTrashService } from '../datagrids/trash/datagrid-trash.service';
import { AppConfig } from '../platform/config/app-config';
import { WorkspaceTrashService } from '../workspaces/trash/workspace-trash.service';
import type { Restored } from './dto/restored.dto';
import type { TrashItemDto } from './dto/trash-item.dto';
import type { TrashKind } from './trash-kind';
import { TrashRepository, type ExpiredItem, type TrashRecord } from './trash.repository';

const MS_A_DAY = 24 * 60 * 60 * 1_000;

/** What was deleted and can be taken back. Of another account's trash nothing is found. */
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
    this.ttlMs = config.trashRetentionDays * MS_A_DAY;
    this.services = { workspace, datagrid };
  }

  async list(accountId: string, page: PageRequest): Promise<Page<TrashItemDto>> {
    const [items, total] = await this.repository.list(accountId, page);
    return new Page(
      items.map((item) => this.toDto(item)),
      total,
      page,
    );
  }

  /**
   * Brings an item back as it was, and gives it as it is now.
   * @throws AppError `not_found`, or `conflict` where its name is taken again or its workspace is
   *   in the trash.
   */
  async restore(accountId: string, id: string, by: Actor): Promise<Restored> {
    return (await this.serviceOf(accountId, id)).restore(accountId, id, by);
  }

  /** Takes an item away for good. @throws AppError `not_found`, or `conflict` for a companion. */
  async purge(accountId: string, id: string, by: Actor): Promise<void> {
    await (await this.serviceOf(accountId, id)).purge(accountId, id, by);
  }

  /** Lists expired items: the oldest of each account. */
  async listExpired(): Promise<ExpiredItem[]> {
    return this.repository.listExpired(this.ttlMs / 1_000);
  }

  /** @returns whether it was to be had: not where it is being restored or purged by somebody. */
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
