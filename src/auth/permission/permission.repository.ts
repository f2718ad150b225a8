import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';

const FIND_WORKSPACES: Statement = {
  name: 'permission-find-workspaces',
  text: `
    SELECT d.id, w.id AS "workspaceId", w.account_id AS "accountId"
    FROM unnest($1::uuid[], $2::uuid[]) wanted (account_id, id)
    JOIN datagrids d ON d.id = wanted.id
    JOIN workspaces w ON w.id = d.workspace_id AND w.account_id = wanted.account_id`,
};

const LIST_WORKSPACES: Statement = {
  name: 'permission-list-workspaces',
  text: `
    SELECT id FROM workspaces
    WHERE account_id = $1 AND id = ANY($2::uuid[]) AND deleted_at IS NULL`,
};

const LIST_DATAGRIDS: Statement = {
  name: 'permission-list-datagrids',
  text: `
    SELECT d.id, d.workspace_id AS "workspaceId"
    FROM datagrids d JOIN workspaces w ON w.id = d.workspace_id
    WHERE w.account_id = $1 AND d.id = ANY($2::uuid[])
      AND d.deleted_at IS NULL AND w.deleted_at IS NULL`,
};

export interface DatagridPlace {
  readonly id: string;
  readonly workspaceId: string;
}

/** Workspaces and datagrids that permissions name. Every statement names the account. */
@Injectable()
export class PermissionRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the workspaces of datagrids, even if either is in the trash. Omits datagrids that the
   * account does not have.
   * @param accountIds The account of each datagrid.
   */
  async findWorkspacesOf(
    accountIds: readonly string[],
    datagridIds: readonly string[],
  ): Promise<(DatagridPlace & { readonly accountId: string })[]> {
    return this.database.run(FIND_WORKSPACES, [accountIds, datagridIds]);
  }

  /** Returns the ids of those workspaces that the account has outside the trash. */
  async listWorkspaces(accountId: string, ids: readonly string[]): Promise<string[]> {
    const found = await this.database.run<{ id: string }>(LIST_WORKSPACES, [accountId, ids]);
    return found.map(({ id }) => id);
  }

  /** Returns those datagrids that the account has outside the trash. */
  async listDatagrids(accountId: string, ids: readonly string[]): Promise<DatagridPlace[]> {
    return this.database.run<DatagridPlace>(LIST_DATAGRIDS, [accountId, ids]);
  }
}
