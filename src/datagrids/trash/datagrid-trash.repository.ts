import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { DatagridEntity } from '../datagrid.entity';
import * as sql from './datagrid-trash-sql';

export interface TrashedDatagrid {
  readonly name: string;
  readonly workspaceId: string;
  /** Whether it went with its workspace. */
  readonly isCompanion: boolean;
}

/** For use inside a transaction. Every statement names the account, or a workspace it has locked. */
@Injectable()
export class DatagridTrashRepository {
  constructor(private readonly database: Database) {}

  /** @returns whether there was such a datagrid, not in the trash. */
  async put(accountId: string, id: string): Promise<boolean> {
    return (await this.putFound(sql.PUT, [id, accountId])) > 0;
  }

  /** Those that live in the workspace, as its companions. */
  async putAllIn(workspaceId: string): Promise<void> {
    await this.putFound(sql.PUT_ALL, [workspaceId]);
  }

  /** What lives in the workspace. */
  async countIn(workspaceId: string): Promise<number> {
    const where = { workspaceId, deletedAt: IsNull() };
    return this.database.repository(DatagridEntity).countBy(where);
  }

  /** `null` where the trash holds no such datagrid. */
  async find(accountId: string, id: string): Promise<TrashedDatagrid | null> {
    const [found] = await this.database.run<TrashedDatagrid>(sql.FIND, [id, accountId]);
    return found ?? null;
  }

  /** @returns whether the trash held it by itself. @throws a duplicate of `datagrids_name` */
  async restore(accountId: string, id: string): Promise<boolean> {
    return (await this.restoreFound(sql.RESTORE, [id, accountId])) > 0;
  }

  /** Those that went with the workspace. */
  async restoreAllIn(workspaceId: string): Promise<void> {
    await this.restoreFound(sql.RESTORE_ALL, [workspaceId]);
  }

  /**
   * Leaves the rows to the purger.
   * @returns whether the trash held it by itself, and, if asked, for longer than so many seconds.
   */
  async purge(accountId: string, id: string, longerThanSeconds?: number): Promise<boolean> {
    return longerThanSeconds === undefined
      ? this.purgeFound(sql.LOCK, [id, accountId])
      : this.purgeFound(sql.LOCK_EXPIRED, [id, accountId, longerThanSeconds]);
  }

  /** Those that the trash holds, by themselves or as companions. */
  async purgeAllIn(workspaceId: string): Promise<void> {
    await this.purgeFound(sql.LOCK_ALL, [workspaceId]);
  }

  private async putFound(put: Statement, values: readonly unknown[]): Promise<number> {
    const ids = await this.database.run<{ id: string }>(put, values);
    for (const { id } of ids) await this.database.run(sql.RAISE, [id]);
    return ids.length;
  }

  /** What it was before has other tags: a version that has been left never comes back. */
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
