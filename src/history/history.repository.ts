import { Injectable } from '@nestjs/common';
import type { Author } from '../datagrids/change-log/change-log-sql';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import { REMOVED_COLUMNS, timeText, VISIBLE_VALUES } from '../rows/storage/row-json-sql';

/**
 * Maximum size of the values of one page, as stored: large values are compressed, at most to 1/90.
 * The last version can exceed it.
 */
const MAX_PAGE_BYTES = 64 * 1024;

/** A write that updated or deleted a row. */
export interface ReplacingWrite extends Author {
  readonly revision: number;
  readonly at: string;
  readonly isDeletion: boolean;
}

/** Values that a row has or had, and the writes at which they begin and end. */
export interface StoredVersion {
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The write that replaced the values; `null` if the row has them now. */
  readonly replaced: ReplacingWrite | null;
  /** Author of the version, if the change log still has its write. */
  readonly logged: Author | null;
  /** Values by column key, as JSON text; `null` if the page is full before this version. */
  readonly values: string | null;
  /** Keys of columns in which the version has a value, and that were removed after it was written. */
  readonly removedColumns: readonly string[];
}

/** Values of a version to restore. */
export interface VersionValues {
  /** Values by column key, as JSON text. */
  readonly values: string;
  readonly createdAt: string;
}

const OWN_DATAGRID = 'd.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL';

const STORED = `
  revision, "values", created_at, updated_at, replaced_revision, replaced_at, is_deletion, user_id,
  key_id`;

/** The row as it is, with the columns of `STORED`. */
const CURRENT = `
  SELECT revision, "values", created_at, updated_at, NULL::bigint AS replaced_revision,
    NULL::timestamptz AS replaced_at, NULL::boolean AS is_deletion, NULL::uuid AS user_id,
    NULL::uuid AS key_id
  FROM rows WHERE datagrid_id = $1 AND id = $3`;

/** Author of the write of version `r`. The entry can cover several revisions. */
const LOGGED = `(
    SELECT CASE WHEN l.revision - l.revisions < r.revision
      THEN json_build_object('userId', l.user_id, 'keyId', l.key_id) END
    FROM datagrid_changes l WHERE l.datagrid_id = $1 AND l.revision >= r.revision
    ORDER BY l.revision, l.part LIMIT 1
  )`;

/**
 * Reads the versions of a row before revision `$4`, newest first: the row itself, the version that
 * was replaced at that revision or after it, and `$5` versions that were replaced before it.
 */
const LIST: Statement = {
  name: 'row-version-list',
  text: `
    SELECT r.revision, ${timeText('r.created_at')} AS "createdAt",
      ${timeText('r.updated_at')} AS "updatedAt", ${LOGGED} AS logged,
      CASE WHEN r.replaced_revision IS NOT NULL THEN json_build_object(
        'revision', r.replaced_revision, 'at', ${timeText('r.replaced_at')},
        'isDeletion', r.is_deletion, 'userId', r.user_id, 'keyId', r.key_id) END AS replaced,
      CASE WHEN r.start < ${String(MAX_PAGE_BYTES)} THEN (${VISIBLE_VALUES})::text END AS values,
      CASE WHEN r.start < ${String(MAX_PAGE_BYTES)} THEN ${REMOVED_COLUMNS} ELSE '[]' END
        AS "removedColumns"
    FROM datagrids d
    CROSS JOIN LATERAL (
      SELECT v.*, coalesce(sum(pg_column_size("values")) OVER (
        ORDER BY revision DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS start
      FROM (
        SELECT * FROM (${CURRENT}) c WHERE revision < $4
        UNION ALL
        SELECT * FROM (
          SELECT ${STORED} FROM row_versions
          WHERE datagrid_id = $1 AND row_id = $3 AND replaced_revision >= $4 AND is_history
          ORDER BY replaced_revision LIMIT 1
        ) s WHERE revision < $4
        UNION ALL
        SELECT * FROM (
          SELECT ${STORED} FROM row_versions
          WHERE datagrid_id = $1 AND row_id = $3 AND replaced_revision < $4 AND is_history
          ORDER BY replaced_revision DESC LIMIT $5
        ) o
      ) v
    ) r
    WHERE ${OWN_DATAGRID}
    ORDER BY r.revision DESC`,
};

/** The version that the row has or had from revision `$4` on. */
const FIND: Statement = {
  name: 'row-version-find',
  text: `
    SELECT (${VISIBLE_VALUES})::text AS values, ${timeText('r.created_at')} AS "createdAt"
    FROM datagrids d
    CROSS JOIN LATERAL (
      SELECT * FROM (${CURRENT}) c
      UNION ALL
      SELECT * FROM (
        SELECT ${STORED} FROM row_versions
        WHERE datagrid_id = $1 AND row_id = $3 AND replaced_revision > $4 AND is_history
        ORDER BY replaced_revision LIMIT 1
      ) s
    ) r
    WHERE ${OWN_DATAGRID} AND r.revision = $4`,
};

const EXISTS: Statement = {
  name: 'row-version-exists',
  text: `
    SELECT 1 FROM datagrids d
    WHERE ${OWN_DATAGRID} AND (
      EXISTS (SELECT FROM rows WHERE datagrid_id = $1 AND id = $3)
      OR EXISTS (
        SELECT FROM row_versions WHERE datagrid_id = $1 AND row_id = $3 AND is_history
      ))`,
};

/** A row of a datagrid. */
export interface RowRef {
  readonly accountId: string;
  readonly datagridId: string;
  readonly rowId: number;
}

/** Reads versions of a row, except those for the trash. Every statement names the account. */
@Injectable()
export class HistoryRepository {
  constructor(private readonly database: Database) {}

  /**
   * Lists versions that begin before a revision, newest first, at least `limit` if there are so
   * many. Returns an empty array if the account has no such datagrid.
   */
  async list(
    { accountId, datagridId, rowId }: RowRef,
    before: number,
    limit: number,
  ): Promise<StoredVersion[]> {
    const values = [datagridId, accountId, rowId, before, limit];
    return this.database.run<StoredVersion>(LIST, values);
  }

  /** Finds the version that begins at a revision. A version never changes. */
  async find(
    { accountId, datagridId, rowId }: RowRef,
    revision: number,
  ): Promise<VersionValues | null> {
    const values = [datagridId, accountId, rowId, revision];
    const [found] = await this.database.run<VersionValues>(FIND, values);
    return found ?? null;
  }

  /** Returns whether the row exists, or has a version. */
  async hasRow({ accountId, datagridId, rowId }: RowRef): Promise<boolean> {
    return (await this.database.run(EXISTS, [datagridId, accountId, rowId])).length > 0;
  }
}
