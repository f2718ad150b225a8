import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/paging/page-request';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/statement';
import { WorkspaceEntity } from './workspace.entity';

export type WorkspaceRecord = Omit<WorkspaceEntity, 'account'>;

/** What a list gives of a workspace. */
export type ListedWorkspace = Omit<WorkspaceRecord, 'accountId' | 'nameKey'>;

/** The total and the page are of one snapshot; an empty page is one row without an id. */
const LIST: Statement = {
  name: 'workspace-list',
  text: `
    SELECT t.total, w.id, w.name, w.description,
      w.created_at AS "createdAt", w.updated_at AS "updatedAt"
    FROM (SELECT count(*) AS total FROM workspaces WHERE account_id = $1) t
    LEFT JOIN LATERAL (
      SELECT * FROM workspaces WHERE account_id = $1 ORDER BY id OFFSET $2 LIMIT $3
    ) w ON true
    ORDER BY w.id`,
};

/** Held until the end of the transaction. Datagrids that are made in it meanwhile have to wait. */
const LOCK: Statement = {
  name: 'workspace-lock',
  text: 'SELECT id FROM workspaces WHERE id = $1 AND account_id = $2 FOR UPDATE',
};

type Listed = { readonly total: number } & (ListedWorkspace | { readonly id: null });

/** Every statement names the account. */
@Injectable()
export class WorkspaceRepository {
  constructor(private readonly database: Database) {}

  async insert(workspace: WorkspaceRecord): Promise<void> {
    await this.database.repository(WorkspaceEntity).insert(workspace);
  }

  async find(accountId: string, id: string): Promise<WorkspaceRecord | null> {
    return this.database.repository(WorkspaceEntity).findOneBy({ accountId, id });
  }

  /** Inside a transaction: keeps the workspace as it is. @returns whether it is there. */
  async lock(accountId: string, id: string): Promise<boolean> {
    return (await this.database.run(LOCK, [id, accountId])).length > 0;
  }

  /** A page in the order of their making, and the number of all. */
  async list(accountId: string, page: PageRequest): Promise<[ListedWorkspace[], number]> {
    const offset = (page.page - 1) * page.limit;
    const rows = await this.database.run<Listed>(LIST, [accountId, offset, page.limit]);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }

  /** The workspace after the change; `null` where there is none. */
  async update(
    accountId: string,
    id: string,
    change: Partial<WorkspaceRecord>,
  ): Promise<WorkspaceRecord | null> {
    await this.database.repository(WorkspaceEntity).update({ accountId, id }, change);
    return this.find(accountId, id);
  }

  async delete(accountId: string, id: string): Promise<void> {
    await this.database.repository(WorkspaceEntity).delete({ accountId, id });
  }
}
