import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';

const PUT: Statement = {
  name: 'workspace-trash-put',
  text: 'UPDATE workspaces SET deleted_at = now() WHERE id = $1 AND account_id = $2',
};

const RESTORE: Statement = {
  name: 'workspace-trash-restore',
  text: `
    UPDATE workspaces SET deleted_at = NULL, version = version + 1
    WHERE id = $1 AND account_id = $2 AND deleted_at IS NOT NULL
    RETURNING id`,
};

const TRASHED = `
  SELECT id, name FROM workspaces WHERE id = $1 AND account_id = $2 AND deleted_at IS NOT NULL`;

const LOCK_TRASHED: Statement = {
  name: 'workspace-trash-lock',
  text: `${TRASHED} FOR UPDATE`,
};

/** Skips workspaces that another replica is purging or that are being restored. */
const LOCK_EXPIRED: Statement = {
  name: 'workspace-trash-lock-expired',
  text: `
    ${TRASHED} AND deleted_at < now() - make_interval(secs => $3)
    FOR UPDATE SKIP LOCKED`,
};

/** A role that is granted while this runs stays, without effect. */
const DELETE: Statement = {
  name: 'workspace-delete',
  text: `
    WITH deleted AS (DELETE FROM workspaces WHERE id = $1 AND account_id = $2 RETURNING id)
    DELETE FROM workspace_roles WHERE workspace_id IN (SELECT id FROM deleted)`,
};

/** Workspaces in the trash. Use inside a transaction. Every statement names the account. */
@Injectable()
export class WorkspaceTrashRepository {
  constructor(private readonly database: Database) {}

  /**
   * @returns `null` if the workspace is not in the trash, or not for longer than
   *   `longerThanSeconds`.
   */
  async lockTrashed(
    accountId: string,
    id: string,
    longerThanSeconds?: number,
  ): Promise<{ readonly name: string } | null> {
    const [locked] = await (longerThanSeconds === undefined
      ? this.database.run<{ name: string }>(LOCK_TRASHED, [id, accountId])
      : this.database.run<{ name: string }>(LOCK_EXPIRED, [id, accountId, longerThanSeconds]));
    return locked ?? null;
  }

  /** Requires the lock. */
  async put(accountId: string, id: string): Promise<void> {
    await this.database.run(PUT, [id, accountId]);
  }

  /** @returns whether the workspace was in the trash. @throws a duplicate of `workspaces_name` */
  async restore(accountId: string, id: string): Promise<boolean> {
    return this.hasRow(RESTORE, [id, accountId]);
  }

  /** Requires the lock, and that the workspace is empty. Also deletes the roles in it. */
  async delete(accountId: string, id: string): Promise<void> {
    await this.database.run(DELETE, [id, accountId]);
  }

  private async hasRow(statement: Statement, values: readonly unknown[]): Promise<boolean> {
    return (await this.database.run(statement, values)).length > 0;
  }
}
