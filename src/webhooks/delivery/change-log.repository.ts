import { Injectable } from '@nestjs/common';
import { withJavaScriptNumbers } from '../../common/json/printed-numbers';
import type { ChangeKind } from '../../datagrids/change-log/datagrid-change.entity';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { ROW_JSON } from '../../rows/storage/row-json-sql';

/** A position in the change log. */
export interface LogPosition {
  readonly revision: number;
  /** The last part that was read, if the revision has more; `null` if it was read completely. */
  readonly part: number | null;
  /** Time of the write of the revision; `null` if it is not known. */
  readonly atMs: number | null;
}

/** An entry of the change log. */
export interface LogEntry {
  readonly revision: number;
  readonly part: number;
  readonly revisions: number;
  readonly kind: ChangeKind;
  readonly firstId: number | null;
  readonly rowCount: number;
  readonly rowIds: readonly number[] | null;
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly atMs: number;
  /** Whether the revision has further parts. */
  readonly hasMoreParts: boolean;
}

export interface LogRead {
  /** Current revision of the datagrid. */
  readonly head: number;
  /** Time of the write at the position; `null` if the log has no entry for it. */
  readonly positionAtMs: number | null;
  readonly entries: readonly LogEntry[];
}

/** Rows that an event contains. */
export interface EventRows {
  readonly event: number;
  /** Rows as JSON with commas; `null` if they are longer than the maximum. */
  readonly json: string | null;
}

/** A row to print in an event. */
export interface EventRow {
  readonly event: number;
  readonly id: number;
  /** The row is left out if it has another revision by now; `null` if any will do. */
  readonly revision: number | null;
}

/** Maximum number of entries of one read. */
const MAX_ENTRIES = 64;
/** Number of rows after which no further entry is read. An entry can name thousands. */
const MAX_ROWS = 1_000;
/** Sorts after every part. */
const LAST_PART = 2_147_483_647;

/** Reads the head and the entries after a position in one snapshot. */
const READ: Statement = {
  name: 'webhook-log-read',
  text: `
    SELECT c.revision AS head, (
        SELECT (extract(epoch FROM p.at) * 1000)::bigint FROM datagrid_changes p
        WHERE p.datagrid_id = $1 AND p.revision = $2::bigint ORDER BY p.part LIMIT 1
      ) AS "positionAtMs", coalesce(json_agg(json_build_object(
        'revision', e.revision, 'part', e.part, 'revisions', e.revisions, 'kind', e.kind,
        'firstId', e.first_id, 'rowCount', e.row_count, 'rowIds', to_json(e.row_ids),
        'userId', e.user_id, 'keyId', e.key_id, 'hasMoreParts', e.has_more_parts,
        'atMs', (extract(epoch FROM e.at) * 1000)::bigint
      ) ORDER BY e.revision, e.part) FILTER (WHERE e.revision IS NOT NULL), '[]') AS entries
    FROM datagrid_counters c
    LEFT JOIN LATERAL (
      SELECT * FROM (
        SELECT l.*, row_number() OVER place AS n, sum(row_count) OVER place - row_count AS before,
          lead(revision) OVER place IS NOT DISTINCT FROM revision AS has_more_parts
        FROM (
          SELECT * FROM datagrid_changes
          WHERE datagrid_id = $1 AND (revision, part) > ($2::bigint, $3::int)
          ORDER BY revision, part LIMIT ${String(MAX_ENTRIES + 1)}
        ) l
        WINDOW place AS (ORDER BY revision, part)
      ) l
      WHERE n <= ${String(MAX_ENTRIES)} AND before < ${String(MAX_ROWS)}
    ) e ON true
    WHERE c.datagrid_id = $1
    GROUP BY c.revision`,
};

/**
 * Prints the rows of several events, as they are now. The rows of an event that takes more than
 * `$5` bytes are not returned. Rows whose stored values alone take more are not printed. A row with a
 * revision in `$6` is printed only if it still has it.
 */
const ROWS: Statement = {
  name: 'webhook-log-rows',
  text: `
    SELECT p.event, CASE WHEN sum(octet_length(p.json)) <= $5::bigint AND bool_and(p.json IS NOT NULL)
      THEN string_agg(p.json, ',' ORDER BY p.id) END AS json
    FROM (
      SELECT s.event, s.id, CASE WHEN s.stored <= $5::bigint THEN ${ROW_JSON} END AS json
      FROM datagrids d
      CROSS JOIN LATERAL (
        SELECT g.event, r.id, sum(pg_column_size(r."values")) OVER (PARTITION BY g.event) AS stored
        FROM unnest($3::int[], $4::bigint[], $6::bigint[]) AS g(event, id, revision)
        JOIN rows r ON r.datagrid_id = $1 AND r.id = g.id
          AND r.revision = coalesce(g.revision, r.revision)
      ) s
      JOIN rows r ON r.datagrid_id = $1 AND r.id = s.id
      WHERE d.id = $1 AND d.account_id = $2
    ) p
    GROUP BY p.event`,
};

/** The ends of change logs before a time, or their beginnings; NULL if a log is empty. */
const POSITIONS_AT: Statement = {
  name: 'webhook-log-positions-at',
  text: `
    SELECT g.datagrid_id AS "datagridId", coalesce(
        (
          SELECT revision FROM datagrid_changes WHERE datagrid_id = g.datagrid_id AND at < $2
          ORDER BY revision DESC, part DESC LIMIT 1
        ), (
          SELECT revision - revisions FROM datagrid_changes WHERE datagrid_id = g.datagrid_id
          ORDER BY revision, part LIMIT 1
        )
      ) AS revision
    FROM datagrid_counters g
    WHERE g.datagrid_id = ANY($1::uuid[])`,
};

/** Reads the change log of one datagrid for webhooks. */
@Injectable()
export class ChangeLogRepository {
  constructor(private readonly database: Database) {}

  /** @returns `null` if the datagrid was purged. */
  async read(
    datagridId: string,
    { revision, part }: Pick<LogPosition, 'revision' | 'part'>,
  ): Promise<LogRead | null> {
    const values = [datagridId, revision, part ?? LAST_PART];
    const [read] = await this.database.run<LogRead>(READ, values);
    return read ?? null;
  }

  /**
   * Prints rows.
   * @param maxBytes Maximum length of the rows of one event.
   */
  async printRows(
    accountId: string,
    datagridId: string,
    rows: readonly EventRow[],
    maxBytes: number,
  ): Promise<EventRows[]> {
    const events = rows.map(({ event }) => event);
    const ids = rows.map(({ id }) => id);
    const revisions = rows.map(({ revision }) => revision);
    const values = [datagridId, accountId, events, ids, maxBytes, revisions];
    const printed = await this.database.run<EventRows>(ROWS, values);
    return printed.map(({ event, json }) => ({ event, json: json && withJavaScriptNumbers(json) }));
  }

  /**
   * Returns for each datagrid the revision after which the changes since a time begin, unless its log
   * is empty. Reads the entries since then.
   */
  async listRevisionsAt(
    datagridIds: readonly string[],
    since: Date,
  ): Promise<{ readonly datagridId: string; readonly revision: number }[]> {
    const found = await this.database.run<{ datagridId: string; revision: number | null }>(
      POSITIONS_AT,
      [datagridIds, since],
    );
    return found.flatMap(({ datagridId, revision }) =>
      revision === null ? [] : [{ datagridId, revision }],
    );
  }
}
