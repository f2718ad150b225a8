import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import type { PageRequest } from '../../common/paging/page-request';
import { MAX_LISTED_JOBS } from '../../platform/background/job-turns';
import { AppConfig } from '../../platform/config/app-config';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { METADATA_BYTES, SUM_OF_BYTES } from './column-metadata';
import type { ColumnLeftovers, ColumnRecord, ColumnRemoval } from './column-record';
import type { SizedRead } from './large-columns';
import { DatagridColumnEntity } from './datagrid-column.entity';
import type { ExpiredDatagrid } from '../trim/expired-datagrids.repository';

/** Whether a column can be restored, for `$2` days. */
const IN_TRASH = 'in_trash AND removed_at >= now() - make_interval(days => $2)';

/**
 * Reads the total and the page from one snapshot. An empty page is one row without an id. Options and
 * default values are read only if the columns of the page have up to `$6` bytes.
 */
const LIST: Statement = {
  name: 'column-trash-list',
  text: `
    WITH page AS MATERIALIZED (
      SELECT * FROM datagrid_columns WHERE datagrid_id = $1 AND ${IN_TRASH}
      ORDER BY removed_at DESC, id DESC OFFSET $4 LIMIT $5
    ), size AS MATERIALIZED (SELECT ${SUM_OF_BYTES} AS bytes FROM page)
    SELECT t.total, size.bytes AS "pageBytes", p.*
    FROM datagrids d
    CROSS JOIN (
      SELECT count(*) AS total FROM datagrid_columns WHERE datagrid_id = $1 AND ${IN_TRASH}
    ) t
    CROSS JOIN size
    LEFT JOIN (
      SELECT id, key, slot, version, title, type, is_required AS required, is_unique AS "unique",
        is_indexed AS indexed, removed_at AS "removedAt", removed_by_user_id AS "removedByUserId",
        removed_by_key_id AS "removedByKeyId",
        CASE WHEN size.bytes <= $6::bigint THEN options END AS options,
        CASE WHEN size.bytes <= $6::bigint THEN default_value END AS "defaultValue"
      FROM page CROSS JOIN size
    ) p ON true
    WHERE d.id = $1 AND d.account_id = $3 AND d.deleted_at IS NULL
    ORDER BY p."removedAt" DESC, p.id DESC`,
};

const EMPTIED = `
  in_trash = false, options = '{}', default_value = NULL, previous_keys = '[]',
  removed_by_user_id = NULL, removed_by_key_id = NULL`;

/** Takes the columns out of the trash that follow the newest `$2`, or the newest with `$3` bytes. */
const TRIM_TO_SIZE: Statement = {
  name: 'column-trash-trim-to-size',
  text: `
    UPDATE datagrid_columns SET ${EMPTIED}
    WHERE datagrid_id = $1 AND id IN (
      SELECT id FROM (
        SELECT id, row_number() OVER newest AS place, sum(${METADATA_BYTES}) OVER newest AS bytes
        FROM datagrid_columns WHERE datagrid_id = $1 AND in_trash
        WINDOW newest AS (ORDER BY removed_at DESC, id DESC)
      ) k
      WHERE place > $2 OR bytes > $3
    )`,
};

const LIST_EXPIRED: Statement = {
  name: 'column-trash-trim-expired',
  text: `
    SELECT "accountId", "datagridId"
    FROM (
      SELECT d.account_id AS "accountId", k.datagrid_id AS "datagridId",
        row_number() OVER (PARTITION BY d.account_id ORDER BY k.datagrid_id) AS place
      FROM (
        SELECT DISTINCT datagrid_id FROM datagrid_columns
        WHERE in_trash AND removed_at < now() - make_interval(days => $1)
      ) k
      JOIN datagrids d ON d.id = k.datagrid_id
    ) expired
    WHERE place <= ${String(MAX_LISTED_JOBS)}
    ORDER BY place`,
};

const TRIM: Statement = {
  name: 'column-trash-trim',
  text: `
    WITH emptied AS (
      UPDATE datagrid_columns SET ${EMPTIED}
      WHERE datagrid_id = $1 AND in_trash AND removed_at < now() - make_interval(days => $2)
      RETURNING 1
    )
    SELECT count(*) AS count FROM emptied`,
};

/** A removed column as the trash lists it. */
export type ListedColumn = Omit<ColumnRecord, 'indexedTo' | 'previousKeys'> &
  Pick<DatagridColumnEntity, 'removedByUserId' | 'removedByKeyId'> & { readonly removedAt: Date };

type Listed = { readonly total: number; readonly pageBytes: number } & (
  | ListedColumn
  | { readonly id: null }
);

/** Removed columns that can be restored. Every statement names the datagrid. */
@Injectable()
export class DeletedColumnRepository {
  private readonly days: number;
  private readonly maxColumns: number;
  private readonly maxBytes: number;

  constructor(
    private readonly database: Database,
    { trashRetentionDays, maxColumns, maxColumnMetadataBytes }: AppConfig,
  ) {
    this.days = trashRetentionDays;
    this.maxColumns = maxColumns;
    this.maxBytes = maxColumnMetadataBytes;
  }

  /**
   * Returns one page, newest first, and the total.
   * @param maxBytes Longer columns are not returned.
   * @returns `null` if the account has no such datagrid.
   */
  async list(
    accountId: string,
    datagridId: string,
    { page, limit }: PageRequest,
    maxBytes: number,
  ): Promise<SizedRead<[ListedColumn[], number]> | null> {
    const values = [datagridId, this.days, accountId, (page - 1) * limit, limit, maxBytes];
    const rows = await this.database.run<Listed>(LIST, values);
    const [first] = rows;
    if (!first) return null;
    const { pageBytes: columnsBytes, total } = first;
    if (columnsBytes > maxBytes) return { value: null, columnsBytes };
    const columns = rows.filter((row): row is Listed & ListedColumn => row.id !== null);
    return { value: [columns, total], columnsBytes };
  }

  /** Finds a column that can be restored. Requires the datagrid's lock. */
  async find(
    datagridId: string,
    id: number,
  ): Promise<(ColumnRecord & ColumnLeftovers & Pick<ColumnRemoval, 'removedAt'>) | null> {
    return (
      this.database
        .repository(DatagridColumnEntity)
        .createQueryBuilder()
        .where('datagrid_id = :datagridId AND in_trash', { datagridId })
        // An id of a request can be larger than those of columns.
        .andWhere('id = CAST(:id AS bigint)', { id })
        .andWhere('removed_at >= now() - make_interval(days => :days)', { days: this.days })
        .getOne()
    );
  }

  /**
   * Returns the ids of the other columns, also removed ones, that store or stored their values under
   * a slot.
   */
  async listSharing(datagridId: string, slot: string, id: number): Promise<number[]> {
    const where = { datagridId, slot, id: Not(id) };
    const columns = await this.database.repository(DatagridColumnEntity).findBy(where);
    return columns.map((column) => column.id);
  }

  /**
   * Takes the oldest columns out of the trash if it has more than MAX_COLUMNS, or more than
   * `maxColumnMetadataBytes`. Requires the datagrid's lock.
   */
  async trimToSize(datagridId: string): Promise<void> {
    await this.database.run(TRIM_TO_SIZE, [datagridId, this.maxColumns, this.maxBytes]);
  }

  /** Lists datagrids with expired columns, at most MAX_LISTED_JOBS of each account. */
  async listExpired(): Promise<ExpiredDatagrid[]> {
    return this.database.run<ExpiredDatagrid>(LIST_EXPIRED, [this.days]);
  }

  /** Takes the expired columns of a datagrid out of the trash. @returns their number. */
  async trim(datagridId: string): Promise<number> {
    const [trimmed] = await this.database.run<{ count: number }>(TRIM, [datagridId, this.days]);
    return trimmed?.count ?? 0;
  }
}
