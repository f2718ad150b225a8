import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { PageRequest } from '../common/paging/page-request';
import { Database } from '../platform/database/database';
import { NEXT_VERSION } from '../platform/database/next-version';
import type { Statement } from '../platform/database/text-query';
import { WorkspaceEntity } from './workspace.entity';

export type WorkspaceRecord = Omit<WorkspaceEntity, 'account' | 'deletedAt'>;

/** Columns of a workspace in a list. */
export type ListedWorkspace = Omit<WorkspaceRecord, 'accountId' | 'nameKey' | 'version'>;

/** Reads the total and the page from one snapshot. An empty page is one row without an id. */
const LIST: Statement = {
  name: 'workspace-list',
  text: `
    SELECT t.total, w.id, w.name, w.description,
      w.created_at AS "createdAt", w.updated_at AS "updatedAt"
    FROM (
      SELECT count(*) AS total FROM workspaces
      WHERE account_id = $1 AND deleted_at IS NULL AND ($4::uuid[] IS NULL OR id = ANY($4))
    ) t
    LEFT JOIN LATERAL (
      SELECT * FROM workspaces
      WHERE account_id = $1 AND deleted_at IS NULL AND ($4::uuid[] IS NULL OR id = ANY($4))
      ORDER BY id OFFSET $2 LIMIT $3
    ) w ON true
    ORDER BY w.id`,
};

/** Conflicts with the `FOR UPDATE` of a deletion: each waits for the other. */
const HOLD: Statement = {
  name: 'workspace-hold',
  text: `
    SELECT id FROM workspaces WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
    FOR KEY SHARE`,
};

type Listed = { readonly total: number } & (ListedWorkspace | { readonly id: null });

/** Workspaces that are not in the trash. Every statement names the account. */
@Injectable()
export class WorkspaceRepository {
  constructor(private readonly database: Database) {}

  async insert(workspace: WorkspaceRecord): Promise<void> {
    await this.database.repository(WorkspaceEntity).insert(workspace);
  }

  async count(accountId: string): Promise<number> {
    return this.database.repository(WorkspaceEntity).countBy({ accountId, deletedAt: IsNull() });
  }

  async find(accountId: string, id: string): Promise<WorkspaceRecord | null> {
    const where = { accountId, id, deletedAt: IsNull() };
    return this.database.repository(WorkspaceEntity).findOneBy(where);
  }

  /**
   * Prevents the workspace from being deleted until the end of the transaction. Use inside a
   * transaction.
   * @returns whether there is such a workspace.
   */
  async hold(accountId: string, id: string): Promise<boolean> {
    return (await this.database.run(HOLD, [id, accountId])).length > 0;
  }

  /** Locks the workspace until the end of the transaction. Use inside a transaction. */
  async lock(accountId: string, id: string): Promise<WorkspaceRecord | null> {
    return this.database.repository(WorkspaceEntity).findOne({
      where: { accountId, id, deletedAt: IsNull() },
      lock: { mode: 'pessimistic_write' },
    });
  }

  /**
   * Returns one page of workspaces, oldest first, and the total.
   * @param ids Only these; `null` for all.
   */
  async list(
    accountId: string,
    ids: readonly string[] | null,
    page: PageRequest,
  ): Promise<[ListedWorkspace[], number]> {
    const offset = (page.page - 1) * page.limit;
    const rows = await this.database.run<Listed>(LIST, [accountId, offset, page.limit, ids]);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }

  /** Requires the lock. Returns the workspace after the change; `null` if there is none. */
  async update(
    accountId: string,
    id: string,
    change: Partial<Pick<WorkspaceRecord, 'name' | 'nameKey' | 'description'>>,
  ): Promise<WorkspaceRecord | null> {
    const where = { accountId, id, deletedAt: IsNull() };
    await this.database.repository(WorkspaceEntity).update(where, { ...change, ...NEXT_VERSION });
    return this.find(accountId, id);
  }
}
