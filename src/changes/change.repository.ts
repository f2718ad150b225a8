import { Injectable } from '@nestjs/common';
import { atMs, type Author } from '../datagrids/change-log/change-log-sql';
import type { ChangeKind } from '../datagrids/change-log/datagrid-change.entity';
import { Database } from '../platform/database/database';
import { QueryPool } from '../platform/database/query-pool';
import type { Statement } from '../platform/database/text-query';
import type { LogPosition, RowsPosition, SeenRevision } from './change-cursor';
import {
  LARGE_ROWS,
  OWN_DATAGRID,
  ROWS,
  ROWS_AFTER,
  ROWS_WITH_ORIGINS,
  SNAPSHOT,
} from './change-rows-sql';
import type { Separator } from './feed';

/** An entry of the change log, with the ids that a page can need. */
export interface ChangeEntry {
  readonly revision: number;
  readonly part: number;
  readonly revisions: number;
  readonly kind: ChangeKind;
  readonly firstId: number | null;
  readonly rowCount: number;
  /** Ids from the position's offset on, for updated and deleted rows. */
  readonly rowIds: readonly number[] | null;
  /** Time and author of the write; `null` if they were not requested. */
  readonly origin: ChangeOrigin | null;
}

/** Time and author of a write. */
export interface ChangeOrigin extends Author {
  readonly atMs: number;
}

/** The current revision of a datagrid, with which a reader checks its position. */
export interface LogHead extends SeenRevision {
  /**
   * Time of the write of the revision that the reader has seen; `null` if the log has no entry for
   * it.
   */
  readonly seenAtMs: number | null;
}

export interface LogPage extends LogHead {
  /** Entries that follow the position, in order, or the one that it is in. */
  readonly entries: readonly ChangeEntry[];
  /** Whether these are all entries that the log has. */
  readonly isComplete: boolean;
}

/** Rows that entries name. The arrays have one element for each row. */
export interface NamedRows {
  readonly ids: readonly number[];
  /** Number of the segment of each row: a run of rows that are printed as one text, in this order. */
  readonly segments: readonly number[];
  /** The last revision of each row's entry. */
  readonly to: readonly number[];
  /** Revision of the datagrid when the entries were read. */
  readonly head: number;
  /**
   * JSON text with time and author that ends the item of each row, unless the row was written again
   * after the entries were read; `null` if they were not requested.
   */
  readonly origins: readonly string[] | null;
}

/** Items of one segment, as JSON texts with a separator between them. */
export interface SegmentItems {
  readonly segment: number;
  readonly json: string;
  readonly count: number;
}

interface Snapshot extends SeenRevision {
  readonly schemaVersion: number;
}

export interface ReadRows extends Snapshot {
  /** Items by segment; `null` if a row is not small, so that `readLargeRows` has to print them. */
  readonly items: readonly SegmentItems[] | null;
}

export interface ReadLargeRows extends Snapshot {
  readonly items: readonly SegmentItems[];
  /** Number of rows that were looked up before the page ended. */
  readonly read: number;
}

/** Where the text of a page of large rows ends. It may exceed its bounds by one row. */
export interface PageBounds {
  readonly maxBytes: number;
  readonly maxMs: number;
}

export interface RowsAfter extends Snapshot, LogHead {
  /** Items with a separator between them; `null` if a row is not small. */
  readonly json: string | null;
  readonly ids: readonly number[];
}

const HEAD: Statement = {
  name: 'change-head',
  text: `
    SELECT ${SNAPSHOT}, ${atMs('$3::bigint')} AS "seenAtMs" ${OWN_DATAGRID}`,
};

/**
 * Reads the head and the entries after a position in one snapshot. `$6` is the offset in the entry
 * at the position, or 0 to begin after it. Reads `$7` entries, and the ids of those with which the
 * first `$7` rows are complete.
 */
const entries = (name: string, origin: string): Statement => ({
  name,
  text: `
    SELECT c.revision, ${atMs('c.revision')} AS "atMs", ${atMs('$3::bigint')} AS "seenAtMs",
      l.found, l.entries
    FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
    CROSS JOIN LATERAL (
      SELECT count(*) AS found, coalesce(json_agg(json_build_array(
          revision, part, revisions, kind, first_id, row_count,
          CASE WHEN before < $6::bigint THEN to_json(row_ids[$6::int + 1 : $6::int + $7::int])
            ELSE to_json(row_ids[1 : $7::int]) END${origin}
        ) ORDER BY revision, part) FILTER (WHERE before < $6::bigint + $7::int), '[]') AS entries
      FROM (
        SELECT *, sum(row_count) OVER (ORDER BY revision, part) - row_count AS before
        FROM (
          SELECT * FROM datagrid_changes
          WHERE datagrid_id = $1
            AND (revision, part) >= ($4::bigint, CASE WHEN $6::bigint > 0 THEN $5::bigint
              ELSE $5::bigint + 1 END)
          ORDER BY revision, part LIMIT $7::int + 1
        ) entry
      ) entry
    ) l
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`,
});

const ENTRIES = entries('change-entries', '');

const ENTRIES_WITH_ORIGINS = entries(
  'change-entries-with-origins',
  ', (extract(epoch FROM at) * 1000)::bigint, user_id, key_id',
);

/** The rows of one segment. `json` is `null` if one of them is not small. */
interface SegmentRow extends Snapshot {
  readonly segment: number | null;
  readonly json: string | null;
  readonly count: number | null;
}

/** One row, or none. */
interface LargeRow extends Omit<SegmentRow, 'count'> {
  /** Number of rows that were looked up. */
  readonly read: number;
}

type EntryRow = [
  ...[number, number, number, ChangeKind, number | null, number, number[] | null],
  ...([] | [atMs: number, userId: string | null, keyId: string | null]),
];

/**
 * Reads the change log and the rows that it names. Every statement names the account. They return
 * `null` if the account has no such datagrid.
 */
@Injectable()
export class ChangeRepository {
  constructor(
    private readonly database: Database,
    private readonly queries: QueryPool,
  ) {}

  /** @param seen Revision that the reader has seen. */
  async findHead(
    accountId: string,
    datagridId: string,
    seen: number,
  ): Promise<(LogHead & Snapshot) | null> {
    const [head] = await this.database.run<LogHead & Snapshot>(HEAD, [datagridId, accountId, seen]);
    return head ?? null;
  }

  /**
   * Reads the entries that the next `limit` rows need.
   * @param hasOrigins Whether to read the time and the author of each.
   */
  async listEntries(
    accountId: string,
    datagridId: string,
    { revision, part, offset, seen }: LogPosition,
    limit: number,
    hasOrigins: boolean,
  ): Promise<LogPage | null> {
    const values = [datagridId, accountId, seen.revision, revision, part, offset, limit];
    const [page] = await this.database.run<LogHead & { found: number; entries: EntryRow[] }>(
      hasOrigins ? ENTRIES_WITH_ORIGINS : ENTRIES,
      values,
    );
    if (!page) return null;
    const { found, entries, ...head } = page;
    return {
      ...head,
      entries: entries.map(toEntry),
      isComplete: found === entries.length && found <= limit,
    };
  }

  /** Prints the rows that entries name. */
  async readRows(
    accountId: string,
    datagridId: string,
    rows: NamedRows,
    separator: Separator,
  ): Promise<ReadRows | null> {
    const values = [datagridId, accountId, ...valuesOf(rows), separator];
    const read = rows.origins
      ? await this.database.run<SegmentRow>(ROWS_WITH_ORIGINS, [...values, rows.origins])
      : await this.database.run<SegmentRow>(ROWS, values);
    const [first] = read;
    if (!first) return null;
    const { revision, atMs, schemaVersion } = first;
    const found = read.filter(({ segment }) => segment !== null);
    const items = found.filter((row): row is Snapshot & SegmentItems => row.json !== null);
    return {
      revision,
      atMs,
      schemaVersion,
      items: items.length === found.length ? items : null,
    };
  }

  /**
   * Prints rows of any size, on the connections for queries. Reads at least one.
   * @throws QueryTimeoutError, or AppError as `QueryPool.run`.
   */
  async readLargeRows(
    accountId: string,
    datagridId: string,
    rows: NamedRows,
    separator: Separator,
    { maxBytes, maxMs }: PageBounds,
  ): Promise<ReadLargeRows | null> {
    const values = [datagridId, accountId, ...valuesOf(rows), maxBytes, rows.origins, maxMs];
    const found = await this.queries.run<LargeRow>(accountId, LARGE_ROWS, values, 'scan');
    const [first] = found;
    if (!first) return null;
    const { revision, atMs, schemaVersion, read } = first;
    return { revision, atMs, schemaVersion, read, items: segmentsOf(found, separator) };
  }

  /** Prints the next rows after a position, in id order. */
  async readRowsAfter(
    accountId: string,
    datagridId: string,
    { afterId, seen }: RowsPosition,
    limit: number,
    separator: Separator,
  ): Promise<RowsAfter | null> {
    const values = [datagridId, accountId, afterId, limit, separator, seen.revision];
    const [read] = await this.database.run<RowsAfter>(ROWS_AFTER, values);
    return read ?? null;
  }
}

/** Joins the items of each segment. */
function segmentsOf(rows: readonly LargeRow[], separator: Separator): SegmentItems[] {
  const items: { segment: number; json: string; count: number }[] = [];
  for (const { segment, json } of rows) {
    if (segment === null || json === null) continue;
    const last = items.at(-1);
    if (last?.segment === segment) {
      last.json += separator + json;
      last.count += 1;
    } else {
      items.push({ segment, json, count: 1 });
    }
  }
  return items;
}

function valuesOf({ ids, segments, to, head }: NamedRows): unknown[] {
  return [ids, segments, to, head];
}

function toEntry([
  revision,
  part,
  revisions,
  kind,
  firstId,
  rowCount,
  rowIds,
  atMs,
  userId,
  keyId,
]: EntryRow): ChangeEntry {
  const origin = atMs === undefined ? null : { atMs, userId: userId ?? null, keyId: keyId ?? null };
  return { revision, part, revisions, kind, firstId, rowCount, rowIds, origin };
}
