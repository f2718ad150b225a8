import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';

/** A datagrid of a workspace. */
export interface NamedDatagrid {
  readonly id: string;
  readonly name: string;
}

/** One row without a datagrid for an empty workspace, and no row without a workspace. */
const LIST: Statement = {
  name: 'sql-tables-list',
  text: `
  SELECT d.id, d.name
  FROM workspaces w
  LEFT JOIN datagrids d ON d.workspace_id = w.id AND d.account_id = $2 AND d.deleted_at IS NULL
  WHERE w.id = $1 AND w.account_id = $2 AND w.deleted_at IS NULL
  ORDER BY d.id LIMIT $3`,
};

/** The datagrids of workspaces. */
@Injectable()
export class SqlTablesRepository {
  constructor(private readonly database: Database) {}

  /**
   * Returns the datagrids of a workspace, oldest first, without those in the trash.
   * @param max Maximum number.
   * @returns `null` if the account has no such workspace.
   */
  async list(
    accountId: string,
    workspaceId: string,
    max: number,
  ): Promise<readonly NamedDatagrid[] | null> {
    const values = [workspaceId, accountId, max];
    const rows = await this.database.run<NamedDatagrid | { id: null }>(LIST, values);
    return rows.length === 0 ? null : rows.filter((row): row is NamedDatagrid => row.id !== null);
  }
}
