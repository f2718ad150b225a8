import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';

const FIND_WORKSPACE: Statement = {
  name: 'permission-find-workspace',
  text: `
    SELECT w.id FROM datagrids d JOIN workspaces w ON w.id = d.workspace_id
    WHERE d.id = $1 AND w.account_id = $2`,
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
   * Returns the workspace of a datagrid, even if either is in the trash.
   * @returns `null` if the account has no such datagrid.
   */
  async findWorkspaceOf(accountId: string, datagridId: string): Promise<string | null> {
    const values = [datagridId, accountId];
    const [found] = await this.database.run<{ id: string }>(FIND_WORKSPACE, values);
    return found?.id ?? null;
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
