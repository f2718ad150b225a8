import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { type Author, raiseForChange } from '../change-log/change-log-sql';
import { ChangeLogReaders } from '../change-log/change-log-readers';
import { ChangeSignal } from '../change-log/change-signal';
import { DatagridEntity } from '../datagrid.entity';

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
  constructor(
    private readonly database: Database,
    private readonly signal: ChangeSignal,
    private readonly readers: ChangeLogReaders,
  ) {}

  /** @returns whether there was such a datagrid outside the trash. */
  async put(accountId: string, id: string, author: Author): Promise<boolean> {
    return (await this.putFound(PUT, [id, accountId], author)) > 0;
  }

  /** Moves all datagrids of a workspace into the trash, as deleted with the workspace. */
  async putAllIn(workspaceId: string, author: Author): Promise<void> {
    await this.putFound(PUT_ALL, [workspaceId], author);
  }

  /** Counts the workspace's datagrids that are not in the trash. */
  async countIn(workspaceId: string): Promise<number> {
    const where = { workspaceId, deletedAt: IsNull() };
    return this.database.repository(DatagridEntity).countBy(where);
  }

  /** @returns `null` if there is no such datagrid in the trash. */
  async find(accountId: string, id: string): Promise<TrashedDatagrid | null> {
    const [found] = await this.database.run<TrashedDatagrid>(FIND, [id, accountId]);
    return found ?? null;
  }

  /**
   * @returns whether the datagrid was in the trash and was deleted on its own.
   * @throws a duplicate of `datagrids_name`
   */
  async restore(accountId: string, id: string, author: Author): Promise<boolean> {
    return (await this.restoreFound(RESTORE, [id, accountId], author)) > 0;
  }

  /** Restores the datagrids that were deleted with the workspace. */
  async restoreAllIn(workspaceId: string, author: Author): Promise<void> {
    await this.restoreFound(RESTORE_ALL, [workspaceId], author);
  }

  /**
   * Deletes a datagrid in the trash that was deleted on its own. The purger deletes the rows later.
   * @param longerThanSeconds If given, only if it has been in the trash for longer.
   * @returns whether there was such a datagrid.
   */
  async purge(accountId: string, id: string, longerThanSeconds?: number): Promise<boolean> {
    return longerThanSeconds === undefined
      ? this.purgeFound(LOCK, [id, accountId])
      : this.purgeFound(LOCK_EXPIRED, [id, accountId, longerThanSeconds]);
  }

  /** Deletes all of the workspace's datagrids in the trash, however they were deleted. */
  async purgeAllIn(workspaceId: string): Promise<void> {
    await this.purgeFound(LOCK_ALL, [workspaceId]);
  }

  private async putFound(
    put: Statement,
    values: readonly unknown[],
    { userId, keyId }: Author,
  ): Promise<number> {
    const ids = await this.database.run<{ id: string }>(put, values);
    for (const { id } of ids) {
      await this.database.run(RAISE_TRASHED, [id, userId, keyId]);
      this.signal.send(id);
    }
    return ids.length;
  }

  /** Increments versions, so that ETags from before the deletion never match again. */
  private async restoreFound(
    restore: Statement,
    values: readonly unknown[],
    { userId, keyId }: Author,
  ): Promise<number> {
    const ids = await this.database.run<{ id: string }>(restore, values);
    for (const { id } of ids) {
      await this.database.run(RAISE_RESTORED, [id, userId, keyId]);
      await this.database.run(RAISE_COLUMNS, [id]);
      this.signal.send(id);
    }
    return ids.length;
  }

  private async purgeFound(lock: Statement, values: readonly unknown[]): Promise<boolean> {
    const found = await this.database.run<{ id: string; accountId: string }>(lock, values);
    for (const { id, accountId } of found) {
      await this.readers.endLog(id);
      await this.database.run(DELETE_COLUMNS, [id]);
      await this.database.run(DELETE, [id]);
      await this.database.run(QUEUE, [id, accountId]);
    }
    return found.length > 0;
  }
}

/** Waits for column changes in progress, which lock the datagrid. */
const put = (name: string, condition: string, deletedWith: string): Statement => ({
  name,
  text: `
    WITH held AS (
      SELECT id FROM datagrids WHERE ${condition} AND deleted_at IS NULL ORDER BY id FOR UPDATE
    )
    UPDATE datagrids d SET deleted_at = now(), deleted_with = ${deletedWith}
    FROM held WHERE d.id = held.id
    RETURNING d.id`,
});

const PUT = put('datagrid-trash-put', 'id = $1 AND account_id = $2', 'NULL');

const PUT_ALL = put('datagrid-trash-put-all', 'workspace_id = $1', '$1');

/** Waits for the write in progress. Writes that were checked before this commits are rejected. */
const RAISE_TRASHED: Statement = {
  name: 'datagrid-trash-raise-trashed',
  text: raiseForChange('trashed', 'schema_version = schema_version + 1'),
};

/** Like RAISE_TRASHED. A restored datagrid continues at a revision of its own. */
const RAISE_RESTORED: Statement = {
  name: 'datagrid-trash-raise-restored',
  text: raiseForChange('restored', 'schema_version = schema_version + 1'),
};

const RAISE_COLUMNS: Statement = {
  name: 'datagrid-trash-raise-columns',
  text: `
    UPDATE datagrid_columns SET version = version + 1
    WHERE datagrid_id = $1 AND removed_at IS NULL`,
};

const FIND: Statement = {
  name: 'datagrid-trash-find',
  text: `
    SELECT name, workspace_id AS "workspaceId", deleted_with IS NOT NULL AS "isCompanion"
    FROM datagrids WHERE id = $1 AND account_id = $2 AND deleted_at IS NOT NULL`,
};

const RESTORE: Statement = {
  name: 'datagrid-trash-restore',
  text: `
    UPDATE datagrids SET deleted_at = NULL, version = version + 1
    WHERE id = $1 AND account_id = $2 AND deleted_at IS NOT NULL AND deleted_with IS NULL
    RETURNING id`,
};

const RESTORE_ALL: Statement = {
  name: 'datagrid-trash-restore-all',
  text: `
    UPDATE datagrids SET deleted_at = NULL, deleted_with = NULL, version = version + 1
    WHERE workspace_id = $1 AND deleted_with = $1
    RETURNING id`,
};

const TRASHED = `
  SELECT id, account_id AS "accountId" FROM datagrids
  WHERE id = $1 AND account_id = $2 AND deleted_at IS NOT NULL AND deleted_with IS NULL`;

const LOCK: Statement = { name: 'datagrid-trash-lock', text: `${TRASHED} FOR UPDATE` };

/** Skips datagrids that another replica is purging or that are being restored. */
const LOCK_EXPIRED: Statement = {
  name: 'datagrid-trash-lock-expired',
  text: `
    ${TRASHED} AND deleted_at < now() - make_interval(secs => $3)
    FOR UPDATE SKIP LOCKED`,
};

const LOCK_ALL: Statement = {
  name: 'datagrid-trash-lock-all',
  text: `
    SELECT id, account_id AS "accountId" FROM datagrids
    WHERE workspace_id = $1 AND deleted_at IS NOT NULL
    ORDER BY id FOR UPDATE`,
};

const DELETE_COLUMNS: Statement = {
  name: 'datagrid-trash-delete-columns',
  text: `
    WITH columns AS (
      DELETE FROM datagrid_columns WHERE datagrid_id = $1
    )
    DELETE FROM datagrid_counters WHERE datagrid_id = $1`,
};

const DELETE: Statement = {
  name: 'datagrid-trash-delete',
  text: 'DELETE FROM datagrids WHERE id = $1',
};

/** Queues the remaining data, which the purger deletes in batches. */
const QUEUE: Statement = {
  name: 'datagrid-trash-queue',
  text: 'INSERT INTO datagrid_purges (datagrid_id, account_id) VALUES ($1, $2)',
};
