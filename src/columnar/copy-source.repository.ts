import { atMs } from '../datagrids/change-log/change-log-sql';
import type { DatabaseSnapshot } from '../platform/database/query-pool';
import { withoutCase } from '../rows/storage/unique-sql';
import { copyLinesSql, namedSql, rangeSql } from './copy-lines-sql';
import type { CopyTable } from './copy-table';

export interface CopiedDatagrid {
  readonly accountId: string;
  readonly datagridId: string;
}

/** A datagrid in a snapshot. */
export interface CopyHead {
  readonly revision: number;
  /** Time of the write of the revision; `null` if the change log has none. */
  readonly writtenAtMs: number | null;
  /** The same for the revision that the copy has. */
  readonly copyWrittenAtMs: number | null;
  readonly schemaVersion: number;
  readonly lastRowId: number;
  readonly rowCount: number;
  /** The given texts in lower case. */
  readonly folded: readonly string[];
}

/** `$3` is the revision that the copy has, and `$4` are texts to fold. */
const HEAD = `
  SELECT c.revision, c.schema_version AS "schemaVersion", c.last_row_id AS "lastRowId",
    c.row_count AS "rowCount", ${atMs('c.revision')} AS "writtenAtMs",
    ${atMs('$3::bigint')} AS "copyWrittenAtMs",
    ARRAY(SELECT ${withoutCase('t.text')} FROM unnest($4::text[]) WITH ORDINALITY AS t(text, n) ORDER BY n) AS folded
  FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
  WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`;

/**
 * Reads the change log after the revision `$2`, up to the last revision whose entries and all before it name
 * at most `$3` rows. `$4` limits the entries. If it is reached, the last revision is left out, because some
 * of its parts may be missing.
 */
const DELTA = `
  WITH entries AS MATERIALIZED (
    SELECT revision, part, revisions, first_id, row_count, row_ids, at,
      sum(row_count) OVER (ORDER BY revision, part) AS rows
    FROM (
      SELECT * FROM datagrid_changes WHERE datagrid_id = $1 AND revision > $2::bigint
      ORDER BY revision, part LIMIT $4::int
    ) l
  ), reached AS MATERIALIZED (
    SELECT coalesce(max(revision), $2::bigint) AS revision FROM entries e
    WHERE rows <= $3::bigint
      -- Only revisions with all of their parts.
      AND NOT EXISTS (SELECT FROM entries o WHERE o.revision = e.revision AND o.rows > $3::bigint)
      AND (e.revision < (SELECT max(revision) FROM entries) OR (SELECT count(*) FROM entries) < $4::int)
  )
  SELECT r.revision AS to,
    (SELECT coalesce(sum(revisions) FILTER (WHERE part = 0), 0) FROM entries
      WHERE revision <= r.revision) = r.revision - $2::bigint AS "isContinuous",
    (SELECT (extract(epoch FROM at) * 1000)::bigint FROM entries
      WHERE revision = r.revision ORDER BY part LIMIT 1) AS "writtenAtMs",
    ARRAY(
      SELECT DISTINCT n.id FROM (
        SELECT generate_series(first_id, first_id + row_count - 1) AS id
        FROM entries WHERE first_id IS NOT NULL AND revision <= r.revision
        UNION ALL SELECT unnest(row_ids) FROM entries
        WHERE first_id IS NULL AND revision <= r.revision
      ) n ORDER BY n.id
    ) AS ids
  FROM reached r`;

/**
 * Reads the present state of a datagrid of an account.
 * @param copyRevision Revision that a copy has.
 * @param texts Texts to fold.
 * @returns `null` if the account has no such datagrid.
 */
export async function readHead(
  snapshot: DatabaseSnapshot,
  { accountId, datagridId }: CopiedDatagrid,
  copyRevision = 0,
  texts: readonly string[] = [],
): Promise<CopyHead | null> {
  const values = [datagridId, accountId, copyRevision, texts];
  const [head] = await snapshot.query<CopyHead>(HEAD, values);
  return head ?? null;
}

/** Rows that were written after a revision. */
export interface ChangedRows {
  readonly ids: readonly number[];
  /** Last revision whose changes `ids` includes. */
  readonly to: number;
  /** Time of its write; `null` if there are no changes. */
  readonly writtenAtMs: number | null;
}

/** Entries that are read at a time. */
const MAX_ENTRIES = 20_000;

/**
 * Returns the rows that were written after a revision, up to a later one.
 * @param maxRows Maximum number of rows that the changes name.
 * @returns `null` if the log lacks changes. If the next change alone names more than `maxRows` rows, `ids` is
 *   empty and `to` is `revision`.
 */
export async function readChangedRows(
  snapshot: DatabaseSnapshot,
  datagridId: string,
  revision: number,
  maxRows: number,
): Promise<ChangedRows | null> {
  const values = [datagridId, revision, maxRows, MAX_ENTRIES];
  const [delta] = await snapshot.query<ChangedRows & { isContinuous: boolean }>(DELTA, values);
  return delta?.isContinuous === true ? delta : null;
}

/** Prints rows as lines. Those that do not exist are gone. */
export function readNamed(
  snapshot: DatabaseSnapshot,
  datagridId: string,
  ids: readonly number[],
  { columns }: CopyTable,
): AsyncIterable<Buffer> {
  return snapshot.copy(copyLinesSql(namedSql(datagridId, ids), [...columns.values()]));
}

/** Prints the rows with ids after `afterId` and up to `toId` as lines. */
export function readRange(
  snapshot: DatabaseSnapshot,
  datagridId: string,
  afterId: number,
  toId: number,
  { columns }: CopyTable,
): AsyncIterable<Buffer> {
  return snapshot.copy(copyLinesSql(rangeSql(datagridId, afterId, toId), [...columns.values()]));
}
