import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import type { PageRequest } from '../common/paging/page-request';
import { Database } from '../platform/database/database';
import { NEXT_VERSION } from '../platform/database/next-version';
import type { Statement } from '../platform/database/text-query';
import { COLUMNS_BYTES, metadataBytes, SUM_OF_BYTES } from './column/column-metadata';
import { COLUMNS_AGGREGATE, COLUMNS_TEXT, type ColumnRecord } from './column/column-record';
import { DatagridColumnEntity } from './column/datagrid-column.entity';
import type { SizedRead } from './column/large-columns';
import { DatagridCounterEntity, DatagridEntity } from './datagrid.entity';

/** A datagrid without its columns. */
export interface DatagridSummary {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly history: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly rowCount: number;
  readonly revision: number;
  readonly version: number;
}

/** A datagrid in a list that omits columns. */
export interface ListedDatagrid extends DatagridSummary {
  readonly columnCount: number;
}

/** A datagrid with its columns, which PostgreSQL prints as the API returns them. */
export interface DatagridRecord extends DatagridSummary {
  /** A JSON array. */
  readonly columns: string;
}

export type NewDatagrid = Omit<DatagridEntity, 'workspace' | 'deletedAt' | 'deletedWith'>;

const SUMMARY = `
  d.id, d.workspace_id AS "workspaceId", d.name, d.description, d.history,
  d.created_at AS "createdAt", d.updated_at AS "updatedAt", d.version, c.row_count AS "rowCount", c.revision`;

/** Columns longer than `$3` bytes are omitted. */
const FIND: Statement = {
  name: 'datagrid-find',
  text: `
    SELECT c.*, CASE WHEN c."columnsBytes" <= $3::bigint THEN ${COLUMNS_TEXT} END AS columns
    FROM (
      SELECT ${SUMMARY}, c.last_row_id, ${COLUMNS_BYTES} AS "columnsBytes"
      FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
      WHERE d.id = $1 AND c.datagrid_id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL OFFSET 0
    ) c`,
};

/**
 * Locks the datagrid and its columns against changes. Runs as its own statement so that later
 * statements see changes committed while it waited. Rows may be written meanwhile.
 */
const LOCK: Statement = {
  name: 'datagrid-lock',
  text: `
    SELECT id FROM datagrids WHERE id = $1 AND account_id = $2 AND deleted_at IS NULL
    FOR UPDATE`,
};

const RAISE_SCHEMA_VERSION: Statement = {
  name: 'datagrid-raise-schema-version',
  text: 'UPDATE datagrid_counters SET schema_version = schema_version + 1 WHERE datagrid_id = $1',
};

/**
 * Reads the total and the page from one snapshot. An empty page is one row without an id. Columns
 * are included only if those of the whole page are not longer than `$5` bytes. Each part reads the
 * tables of the datagrids by their id, so that Citus runs it on the nodes that hold them.
 */
const LIST: Statement = {
  name: 'datagrid-list',
  text: `
    WITH page AS MATERIALIZED (
      SELECT * FROM datagrids
      WHERE workspace_id = $1 AND account_id = $2 AND deleted_at IS NULL
      ORDER BY id OFFSET $3 LIMIT $4
    ), counted AS MATERIALIZED (
      SELECT ${SUMMARY}, c.last_row_id
      FROM page d JOIN datagrid_counters c ON c.datagrid_id = d.id
    ), sized AS MATERIALIZED (
      SELECT datagrid_id, count(*) AS "columnCount", ${SUM_OF_BYTES} AS "columnsBytes"
      FROM datagrid_columns WHERE datagrid_id IN (SELECT id FROM page) AND removed_at IS NULL
      GROUP BY datagrid_id
    ), size AS MATERIALIZED (
      SELECT coalesce(sum("columnsBytes"), 0)::bigint AS "pageBytes" FROM sized
    ), printed AS MATERIALIZED (
      SELECT k.datagrid_id, ${COLUMNS_AGGREGATE} AS columns
      FROM datagrid_columns k
      JOIN (SELECT id AS datagrid_id, last_row_id FROM counted) c USING (datagrid_id)
      WHERE k.removed_at IS NULL AND (SELECT "pageBytes" FROM size) <= $5::bigint
      GROUP BY k.datagrid_id
    )
    SELECT t.total, c.*, coalesce(sized."columnCount", 0) AS "columnCount", size."pageBytes",
      CASE WHEN size."pageBytes" <= $5::bigint THEN coalesce(printed.columns, '[]') END AS columns
    FROM (
      SELECT count(*) AS total FROM datagrids
      WHERE workspace_id = $1 AND account_id = $2 AND deleted_at IS NULL
    ) t
    CROSS JOIN size
    LEFT JOIN counted c ON true
    LEFT JOIN sized ON sized.datagrid_id = c.id
    LEFT JOIN printed ON printed.datagrid_id = c.id
    ORDER BY c.id`,
};

type Found = DatagridSummary & {
  /** `null` if they are longer than the maximum. */
  readonly columns: string | null;
  readonly columnsBytes: number;
};

type FoundInList = Found & ListedDatagrid & { readonly pageBytes: number };

type Listed = { readonly total: number } & (FoundInList | { readonly id: null });

/** Datagrids that are not in the trash. Every statement names the account, or a new datagrid. */
@Injectable()
export class DatagridRepository {
  constructor(private readonly database: Database) {}

  /** Inserts the datagrid, its columns and its counter. Use inside a transaction. */
  async insert(datagrid: NewDatagrid, columns: readonly ColumnRecord[]): Promise<void> {
    await this.database.repository(DatagridEntity).insert(datagrid);
    const owned = columns.map((column) => {
      return { ...column, datagridId: datagrid.id, metadataBytes: metadataBytes(column) };
    });
    await this.database.repository(DatagridColumnEntity).insert(owned);
    await this.database.repository(DatagridCounterEntity).insert({ datagridId: datagrid.id });
  }

  /** @param maxBytes Longer columns are not read. */
  async find(
    accountId: string,
    id: string,
    maxBytes: number,
  ): Promise<SizedRead<DatagridRecord> | null> {
    const [found] = await this.database.run<Found>(FIND, [id, accountId, maxBytes]);
    if (!found) return null;
    const { columns, columnsBytes } = found;
    return { value: columns === null ? null : { ...found, columns }, columnsBytes };
  }

  async findSummary(accountId: string, id: string): Promise<DatagridSummary | null> {
    const [found] = await this.database.run<Found>(FIND, [id, accountId, -1]);
    return found ?? null;
  }

  /**
   * Locks the datagrid until the end of the transaction.
   * @returns whether there is such a datagrid.
   */
  async lock(accountId: string, id: string): Promise<boolean> {
    return (await this.database.run(LOCK, [id, accountId])).length > 0;
  }

  /**
   * Returns one page of the workspace's datagrids, oldest first, and the total.
   * @param maxBytes If the columns of the page are longer in total, they are not read.
   */
  async list(
    accountId: string,
    workspaceId: string,
    page: PageRequest,
    maxBytes: number,
  ): Promise<SizedRead<[DatagridRecord[], number]>> {
    const [rows, total] = await this.listRows(accountId, workspaceId, page, maxBytes);
    const columnsBytes = rows[0]?.pageBytes ?? 0;
    const whole = rows.flatMap(({ columns, ...rest }) =>
      columns === null ? [] : [{ ...rest, columns }],
    );
    return { value: whole.length === rows.length ? [whole, total] : null, columnsBytes };
  }

  /** Returns the same page without columns. */
  async listSummaries(
    accountId: string,
    workspaceId: string,
    page: PageRequest,
  ): Promise<[ListedDatagrid[], number]> {
    return this.listRows(accountId, workspaceId, page, 0);
  }

  private async listRows(
    accountId: string,
    workspaceId: string,
    page: PageRequest,
    maxBytes: number,
  ): Promise<[FoundInList[], number]> {
    const offset = (page.page - 1) * page.limit;
    const values = [workspaceId, accountId, offset, page.limit, maxBytes];
    const rows = await this.database.run<Listed>(LIST, values);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }

  /** Requires the lock. */
  async update(
    accountId: string,
    id: string,
    change: Partial<Pick<NewDatagrid, 'name' | 'nameKey' | 'description' | 'history'>>,
  ): Promise<void> {
    const where = { accountId, id, deletedAt: IsNull() };
    await this.database.repository(DatagridEntity).update(where, { ...change, ...NEXT_VERSION });
  }

  /**
   * Rejects writes that were prepared before a change of how rows are stored, so that the change
   * applies to every later write. Waits for writes in progress.
   */
  async raiseSchemaVersion(id: string): Promise<void> {
    await this.database.run(RAISE_SCHEMA_VERSION, [id]);
  }
}
