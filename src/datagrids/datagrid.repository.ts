import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { PageRequest } from '../common/paging/page-request';
import { Database } from '../platform/database/database';
import { NEXT_VERSION } from '../platform/database/next-version';
import type { Statement } from '../platform/database/statement';
import { COLUMNS_JSON, type ColumnRecord } from './column/column-record';
import { DatagridColumnEntity } from './column/datagrid-column.entity';
import { DatagridCounterEntity } from './datagrid-counter.entity';
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
  readonly version: number;
}

export type NewDatagrid = Omit<DatagridEntity, 'workspace' | 'deletedAt' | 'deletedWith'>;

const RECORD = `
  d.id, d.workspace_id AS "workspaceId", d.name, d.description, d.created_at AS "createdAt",
  d.updated_at AS "updatedAt", d.version, c.row_count AS "rowCount", c.revision,
  ${COLUMNS_JSON} AS columns`;

const FIND: Statement = {
  name: 'datagrid-find',
  text: `
    SELECT ${RECORD} FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`,
};

/**
 * Keeps the datagrid and its columns as they are. A statement of its own: what follows must see
 * all that was committed while this one waited. Rows may be written meanwhile.
 */
const LOCK: Statement = {
  name: 'datagrid-lock',
  text: `
    SELECT id FROM datagrids WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
    FOR UPDATE`,
};

/** The total and the page are of one snapshot; an empty page is one row without an id. */
const LIST: Statement = {
  name: 'datagrid-list',
  text: `
    SELECT t.total, l.*
    FROM (
      SELECT count(*) AS total FROM datagrids
      WHERE workspace_id = $1 AND account_id = $2 AND deleted_at IS NULL
    ) t
    LEFT JOIN LATERAL (
      SELECT ${RECORD}
      FROM (
        SELECT * FROM datagrids
        WHERE workspace_id = $1 AND account_id = $2 AND deleted_at IS NULL
        ORDER BY id OFFSET $3 LIMIT $4
      ) d
      JOIN datagrid_counters c ON c.datagrid_id = d.id
    ) l ON true
    ORDER BY l.id`,
};

type Listed = { readonly total: number } & (DatagridRecord | { readonly id: null });

/** Living datagrids. Every statement names the account, or a datagrid that is new. */
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

  /** The same, locked until the end of the transaction. */
  async lock(accountId: string, id: string): Promise<DatagridRecord | null> {
    const locked = await this.database.run(LOCK, [id, accountId]);
    return locked.length === 0 ? null : this.find(accountId, id);
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

  /** Under the lock. */
  async update(
    accountId: string,
    id: string,
    change: Partial<Pick<NewDatagrid, 'name' | 'nameKey' | 'description'>>,
  ): Promise<void> {
    const where = { accountId, id, deletedAt: IsNull() };
    await this.database.repository(DatagridEntity).update(where, { ...change, ...NEXT_VERSION });
  }
}
