import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/paging/page-request';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/statement';
import { COLUMNS_JSON, type ColumnRecord } from './column/column-record';
import { DatagridColumnEntity } from './column/datagrid-column.entity';
import { DatagridCounterEntity } from './datagrid-counter.entity';
import { DatagridPurgeEntity } from './datagrid-purge.entity';
import { DatagridEntity } from './datagrid.entity';

/** A datagrid with its columns and numbers. */
export interface DatagridRecord {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly columns: readonly ColumnRecord[];
  readonly rowCount: number;
  readonly revision: number;
}

export type NewDatagrid = Omit<DatagridEntity, 'workspace'>;

const RECORD = `
  d.id, d.workspace_id AS "workspaceId", d.name, d.description, d.created_at AS "createdAt",
  d.updated_at AS "updatedAt", c.row_count AS "rowCount", c.revision, ${COLUMNS_JSON} AS columns`;

const FIND: Statement = {
  name: 'datagrid-find',
  text: `
    SELECT ${RECORD} FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2`,
};

/** The total and the page are of one snapshot; an empty page is one row without an id. */
const LIST: Statement = {
  name: 'datagrid-list',
  text: `
    SELECT t.total, l.*
    FROM (SELECT count(*) AS total FROM datagrids WHERE workspace_id = $1 AND account_id = $2) t
    LEFT JOIN LATERAL (
      SELECT ${RECORD}
      FROM (
        SELECT * FROM datagrids WHERE workspace_id = $1 AND account_id = $2
        ORDER BY id OFFSET $3 LIMIT $4
      ) d
      JOIN datagrid_counters c ON c.datagrid_id = d.id
    ) l ON true
    ORDER BY l.id`,
};

type Listed = { readonly total: number } & (DatagridRecord | { readonly id: null });

/** Every statement names the account, or a datagrid that the caller has locked. */
@Injectable()
export class DatagridRepository {
  constructor(private readonly database: Database) {}

  /** Inside a transaction: the datagrid, its columns and its counter. */
  async insert(datagrid: NewDatagrid, columns: readonly ColumnRecord[]): Promise<void> {
    await this.database.repository(DatagridEntity).insert(datagrid);
    const owned = columns.map((column) => ({ ...column, datagridId: datagrid.id }));
    await this.database.repository(DatagridColumnEntity).insert(owned);
    await this.database.repository(DatagridCounterEntity).insert({ datagridId: datagrid.id });
  }

  async find(accountId: string, id: string): Promise<DatagridRecord | null> {
    const [found] = await this.database.run<DatagridRecord>(FIND, [id, accountId]);
    return found ?? null;
  }

  /** A page in the order of their making, and the number of all in the workspace. */
  async list(
    accountId: string,
    workspaceId: string,
    page: PageRequest,
  ): Promise<[DatagridRecord[], number]> {
    const offset = (page.page - 1) * page.limit;
    const values = [workspaceId, accountId, offset, page.limit];
    const rows = await this.database.run<Listed>(LIST, values);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }

  async update(accountId: string, id: string, change: Partial<NewDatagrid>): Promise<void> {
    await this.database.repository(DatagridEntity).update({ accountId, id }, change);
  }

  /** In order, so that deletions of the same ones do not wait for each other in a circle. */
  async idsIn(accountId: string, workspaceId: string): Promise<string[]> {
    const found = await this.database
      .repository(DatagridEntity)
      .find({ select: { id: true }, where: { accountId, workspaceId }, order: { id: 'ASC' } });
    return found.map(({ id }) => id);
  }

  async countIn(accountId: string, workspaceId: string): Promise<number> {
    return this.database.repository(DatagridEntity).countBy({ accountId, workspaceId });
  }

  /**
   * Inside a transaction: takes the datagrid away and leaves its rows to the purger. The counter
   * goes first: it waits for the write under way, and later ones find no datagrid.
   * @returns whether it was there; not where another deletion came first.
   */
  async delete(accountId: string, id: string): Promise<boolean> {
    const counters = this.database.repository(DatagridCounterEntity);
    if ((await counters.delete({ datagridId: id })).affected === 0) return false;
    await this.database.repository(DatagridColumnEntity).delete({ datagridId: id });
    await this.database.repository(DatagridEntity).delete({ accountId, id });
    await this.database.repository(DatagridPurgeEntity).insert({ datagridId: id });
    return true;
  }
}
