import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { DatagridEntity } from '../datagrid.entity';
import * as sql from './datagrid-trash-sql';

export interface TrashedDatagrid {
  readonly name: string;
  readonly workspaceId: string;
  /** Whether it was deleted with its workspace. */
  readonly isCompanion: boolean;
}

/**
 * Datagrids in the trash. Use inside a transaction. Every statement names the account, or a
 * workspace that the transaction has locked.
 */
@Injectable()
export class DatagridTrashRepository {
  constructor(private readonly database: Database) {}

  /** @returns whether there was such a datagrid outside the trash. */
  async put(accountId: string, id: string): Promise<boolean> {
    return (await this.putFound(sql.PUT, [id, accountId])) > 0;
  }

  /** Moves all datagrids of a workspace into the trash, as deleted with the workspace. */
  async putAllIn(workspaceId: string): Promise<void> {
    await this.putFound(sql.PUT_ALL, [workspaceId]);
  }

  /** Counts the workspace's datagrids that are not in the trash. */
  async countIn(workspaceId: string): Promise<number> {
    const where = { workspaceId, deletedAt: IsNull() };
    return this.database.repository(DatagridEntity).countBy(where);
  }

  /** @returns `null` if there is no such datagrid in the trash. */
  async find(accountId: string, id: string): Promise<TrashedDatagrid | null> {
    const [found] = await this.database.run<TrashedDatagrid>(sql.FIND, [id, accountId]);
    return found ?? null;
  }

  /**
   * @returns whether the datagrid was in the trash and was deleted on its own.
   * @throws a duplicate of `datagrids_name`
   */
  async restore(accountId: string, id: string): Promise<boolean> {
    return (await this.restoreFound(sql.RESTORE, [id, accountId])) > 0;
  }

  /** Restores the datagrids that were deleted with the workspace. */
  async restoreAllIn(workspaceId: string): Promise<void> {
    await this.restoreFound(sql.RESTORE_ALL, [workspaceId]);
  }

  /**
   * Deletes a datagrid in the trash that was deleted on its own. The purger deletes the rows later.
   * @param longerThanSeconds If given, only if it has been in the trash for longer.
   * @returns whether there was such a datagrid.
   */
  async purge(accountId: string, id: string, longerThanSeconds?: number): Promise<boolean> {
    return longerThanSeconds === undefined
      ? this.purgeFound(sql.LOCK, [id, accountId])
      : this.purgeFound(sql.LOCK_EXPIRED, [id, accountId, longerThanSeconds]);
  }

  /** Deletes all of the workspace's datagrids in the trash, however they were deleted. */
  async purgeAllIn(workspaceId: string): Promise<void> {
    await this.purgeFound(sql.LOCK_ALL, [workspaceId]);
  }

  private async putFound(put: Statement, values: readonly unknown[]): Promise<number> {
    const ids = await this.database.run<{ id: string }>(put, values);
    for (const { id } of ids) await this.database.run(sql.RAISE, [id]);
    return ids.length;
  }

  /** Increments versions, so that ETags from before the deletion never match again. */
  private async restoreFound(restore: Statement, values: readonly unknown[]): Promise<number> {
    const ids = await this.database.run<{ id: string }>(restore, values);
    for (const { id } of ids) {
      await this.database.run(sql.RAISE, [id]);
      await this.database.run(sql.RAISE_COLUMNS, [id]);
    }
    return ids.length;
  }

  private async purgeFound(lock: Statement, values: readonly unknown[]): Promise<boolean> {
    const found = await this.database.run<{ id: string; accountId: string }>(lock, values);
    for (const { id, accountId } of found) await this.database.run(sql.PURGE, [id, accountId]);
    return found.length > 0;
  }
}
