import { Injectable } from '@nestjs/common';
import { AppConfig } from '../platform/config/app-config';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { Position } from './position-cursor';
import { REMOVED_COLUMNS, timeText, VISIBLE_VALUES } from '../rows/storage/row-json-sql';

/**
 * Maximum size of the values of one page, as stored: large values are compressed, at most to 1/90.
 * The last row can exceed it.
 */
const MAX_PAGE_BYTES = 64 * 1024;
/** Maximum size of the values that one statement reads to restore them. The last row can exceed it. */
const MAX_READ_BYTES = 16 * 1024 * 1024;

const OWN_DATAGRID = 'd.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL';

/** Whether version `v` is in the trash after `$3` days. */
const IN_TRASH = `
  v.in_trash AND v.replaced_at >= now() - make_interval(days => $3)
  AND NOT EXISTS (SELECT FROM rows o WHERE o.datagrid_id = $1 AND o.id = v.row_id)`;

/** Returns SQL for the sum of `size` over the versions before each. */
const sizeBefore = (size: string, order: string): string => `
  coalesce(sum(${size}) OVER (
    ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)`;

/**
 * Reads `$6` rows before the deletion `$4` of row `$5`, newest first. Returns one row without an
 * id if there are none.
 */
const LIST: Statement = {
  name: 'row-trash-list',
  text: `
    SELECT r.row_id AS id, r.replaced_revision AS revision,
      ${timeText('r.created_at')} AS "createdAt", ${timeText('r.updated_at')} AS "updatedAt",
      ${timeText('r.replaced_at')} AS "deletedAt",
      ${timeText('(r.replaced_at + make_interval(days => $3))')} AS "expiresAt",
      r.user_id AS "userId", r.key_id AS "keyId",
      CASE WHEN r.start < ${String(MAX_PAGE_BYTES)} THEN (${VISIBLE_VALUES})::text END AS values,
      CASE WHEN r.start < ${String(MAX_PAGE_BYTES)} THEN ${REMOVED_COLUMNS} ELSE '[]' END
        AS "removedColumns"
    FROM datagrids d
    LEFT JOIN LATERAL (
      SELECT v.*,
        ${sizeBefore('pg_column_size(v."values")', 'v.replaced_revision DESC, v.row_id DESC')}
          AS start
      FROM (
        SELECT * FROM row_versions v
        WHERE v.datagrid_id = $1 AND (v.replaced_revision, v.row_id) < ($4::bigint, $5::bigint)
          AND ${IN_TRASH}
        ORDER BY v.replaced_revision DESC, v.row_id DESC LIMIT $6
      ) v
    ) r ON true
    WHERE ${OWN_DATAGRID}
    ORDER BY r.replaced_revision DESC, r.row_id DESC`,
};

/**
 * Reads those of the rows `$4` that are in the trash. A row in the trash has no later version. Values
 * are counted with the size that they have at most when they are decompressed.
 */
const FIND: Statement = {
  name: 'row-trash-find',
  text: `
    SELECT r.row_id AS id, ${timeText('r.created_at')} AS "createdAt",
      CASE WHEN r.start < ${String(MAX_READ_BYTES)} THEN (${VISIBLE_VALUES})::text END AS values
    FROM datagrids d
    CROSS JOIN LATERAL (
      SELECT v.*, ${sizeBefore(
        `pg_column_size(v."values")
        * CASE WHEN pg_column_compression(v."values") IS NULL THEN 1 ELSE 90 END`,
        'v.row_id',
      )} AS start
      FROM unnest($4::bigint[]) AS given(id)
      CROSS JOIN LATERAL (
        SELECT * FROM row_versions l WHERE l.datagrid_id = $1 AND l.row_id = given.id
        ORDER BY l.replaced_revision DESC LIMIT 1
      ) v
      WHERE ${IN_TRASH}
    ) r
    WHERE ${OWN_DATAGRID}
    ORDER BY r.row_id`,
};

/** A deleted row as the API lists it. */
export interface ListedRow {
  readonly id: number;
  /** Revision of the deletion. */
  readonly revision: number;
  /** RFC 3339, UTC, milliseconds, like the other times. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deletedAt: string;
  readonly expiresAt: string;
  readonly userId: string | null;
  readonly keyId: string | null;
  /** Values by column key, as JSON text; `null` if the page is full before this row. */
  readonly values: string | null;
  readonly removedColumns: readonly string[];
}

/** A deleted row to restore. */
export interface TrashedRow {
  readonly id: number;
  readonly createdAt: string;
  /** Values by column key, as JSON text; `null` if those of the rows before are large. */
  readonly values: string | null;
}

/** Reads deleted rows. Every statement names the account. */
@Injectable()
export class RowTrashRepository {
  private readonly days: number;

  constructor(
    private readonly database: Database,
    { trashRetentionDays }: AppConfig,
  ) {
    this.days = trashRetentionDays;
  }

  /**
   * Lists the rows after the deletion of a row, newest first.
   * @param position Revision of the deletion, and id of the row.
   * @returns `null` if the account has no such datagrid.
   */
  async list(
    accountId: string,
    datagridId: string,
    [revision, id]: Position,
    limit: number,
  ): Promise<ListedRow[] | null> {
    const values = [datagridId, accountId, this.days, revision, id, limit];
    const found = await this.database.run<ListedRow | { id: null }>(LIST, values);
    if (found.length === 0) return null;
    return found.filter((row): row is ListedRow => row.id !== null);
  }

  /**
   * Returns those of the rows that are in the trash, in the order of their ids; at least the first
   * one with its values. Call it under the lock of the datagrid.
   */
  async find(accountId: string, datagridId: string, ids: readonly number[]): Promise<TrashedRow[]> {
    return this.database.run<TrashedRow>(FIND, [datagridId, accountId, this.days, ids]);
  }
}
