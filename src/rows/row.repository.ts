import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/paging/page-request';
import { QueryPool } from '../platform/database/query-pool';
import { Database } from '../platform/database/database';
import { DatabaseGate } from '../platform/database/database-gate';
import type { Statement, TextRow } from '../platform/database/text-query';
import { pageStartSql } from './position/position-sql';
import { LargeRowDatagrids } from './storage/large-row-datagrids';
import type { RowVersion } from './storage/row-version.repository';
import { PageStarts } from './read/page-starts';
import {
  IS_SMALL,
  printedWithSharedTime,
  ROW_JSON,
  VISIBLE_VALUES,
  WITH_CREATED_TEXT,
} from './storage/row-json-sql';

/** Columns are read by index: revision, schema version, JSON, whether there may be computed columns. */
const ROW_BY_ID: Statement = {
  name: 'row-one',
  text: `
    SELECT r.revision, c.schema_version, ${ROW_JSON} AS json, d.has_computed
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    JOIN rows r ON r.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL
      AND r.id = $3 AND r.datagrid_id = $1`,
};

/** Rows to read, and the maximum size of their text in bytes. */
interface PageRange {
  readonly offset: number;
  readonly limit: number;
  readonly maxBytes: number;
}

export interface RowText extends RowVersion {
  readonly json: string;
  /** Whether the datagrid may have computed columns, whose values are not in `json`. */
  readonly hasComputed: boolean;
}

export interface RowPageText extends Omit<RowText, 'json'> {
  /** Rows as a JSON array; `null` if a row is not small, or if the page exceeds `maxBytes`. */
  readonly json: string | null;
  readonly total: number;
  readonly count: number;
  /** Id of the last row; `null` if there is none. */
  readonly lastId: number | null;
}

/**
 * Reads pages in id order by their positions, and single rows by id, as JSON text. Every statement is limited
 * to the account, except `PAGE_FROM`, which takes a schema version that an earlier `PAGE` read for this account.
 * The version changes when the datagrid is moved to the trash.
 */
@Injectable()
export class RowRepository {
  private readonly starts = new PageStarts();

  constructor(
    private readonly database: Database,
    private readonly gate: DatabaseGate,
    private readonly queries: QueryPool,
    private readonly largeRows: LargeRowDatagrids,
  ) {}

  /**
   * Returns a page in id order, or `null` if the account has no such datagrid.
   * @param maxBytes Maximum size of its text, in bytes.
   * @throws QueryTimeoutError for large rows, or AppError `rate_limited` or `unavailable`.
   */
  async find(
    accountId: string,
    datagridId: string,
    { page, limit }: PageRequest,
    maxBytes: number,
  ): Promise<RowPageText | null> {
    const range: PageRange = { offset: (page - 1) * limit, limit, maxBytes };
    if (!this.largeRows.mayHave(datagridId)) {
      const key = `${accountId} ${datagridId}`;
      const found =
        (await this.findFrom(accountId, datagridId, key, range)) ??
        (await this.findAny(accountId, datagridId, key, range));
      if (found?.json !== null) return found;
      this.largeRows.note(datagridId);
    }
    return this.findLarge(accountId, datagridId, range);
  }

  /** Returns a row, or `null` if the account has no such datagrid or the datagrid no such row. */
  async findOne(accountId: string, datagridId: string, rowId: number): Promise<RowText | null> {
    const found = await this.read(ROW_BY_ID, [datagridId, accountId, rowId], accountId, 1);
    if (!found) return null;
    const [revision, schemaVersion, json, hasComputed] = found;
    const version = { revision: Number(revision), schemaVersion: Number(schemaVersion) };
    return { ...version, json: json ?? '', hasComputed: hasComputed === 't' };
  }

  private async findFrom(
    accountId: string,
    datagridId: string,
    key: string,
    { offset, limit, maxBytes }: PageRange,
  ): Promise<RowPageText | null> {
    const start = this.starts.find(key, offset);
    if (!start) return null;
    const { schemaVersion, hasComputed, afterId, write } = start;
    const { revision: atRevision = null, writtenAtMs = null } = write ?? {};
    const values = [datagridId, schemaVersion, afterId, limit, maxBytes, atRevision, writtenAtMs];
    const found = await this.read(PAGE_FROM, values, accountId, limit);
    if (!found) {
      this.starts.forget(key);
      return null;
    }
    const [totalText, revisionText, lastIdText, json = null] = found;
    const [total, revision] = [Number(totalText), Number(revisionText)];
    const count = Math.max(0, Math.min(limit, total - offset));
    const lastId = idOf(lastIdText);
    if (write) {
      const ids = { firstId: afterId + 1, lastId };
      this.starts.note(key, { schemaVersion, hasComputed, ...write, offset, count, ...ids });
    }
    return { json, total, revision, schemaVersion, count, lastId, hasComputed };
  }

  private async findAny(
    accountId: string,
    datagridId: string,
    key: string,
    { offset, limit, maxBytes }: PageRange,
  ): Promise<RowPageText | null> {
    const values = [datagridId, accountId, offset, limit, maxBytes];
    const found = await this.read(PAGE, values, accountId, limit);
    if (!found) return null;
    const [totalText, revisionText, versionText, countText, ...more] = found;
    const [kind, firstId, lastIdText, writtenAt, computed, json = null] = more;
    const lastId = idOf(lastIdText);
    const hasComputed = computed === 't';
    const [total, count] = [Number(totalText), Number(countText)];
    const [revision, schemaVersion] = [Number(revisionText), Number(versionText)];
    if (kind === 'gapless') this.starts.noteGapless(key, { schemaVersion, hasComputed });
    if (kind === 'plain') {
      const ids = { firstId: idOf(firstId), lastId };
      const write = { revision, writtenAtMs: Number(writtenAt) };
      this.starts.note(key, { schemaVersion, hasComputed, ...write, offset, count, ...ids });
    }
    return { json, total, revision, schemaVersion, count, lastId, hasComputed };
  }

  /** Reads rows of any size. It uses the connections for queries, because it can take long. */
  private async findLarge(
    accountId: string,
    datagridId: string,
    { offset, limit, maxBytes }: PageRange,
  ): Promise<RowPageText | null> {
    const values = [datagridId, accountId, offset, limit, maxBytes];
    const [found] = await this.queries.run<RowPageText>(accountId, LARGE_ROWS_PAGE, values, 'scan');
    return found ?? null;
  }

  private read(
    statement: Statement,
    values: readonly (string | number | null)[],
    accountId: string,
    rows: number,
  ): Promise<TextRow | undefined> {
    return this.gate.run(accountId, () =>
      this.database.runForText(statement, values, { accountId, rows }),
    );
  }
}

const idOf = (text: string | null | undefined): number | null =>
  text === null || text === undefined ? null : Number(text);

/** Time of the last write of counter `c`, in milliseconds since 1970. */
const WRITTEN_AT_MS = `coalesce((extract(epoch FROM c.last_written_at) * 1000)::bigint, 0)`;

/**
 * How later pages can start. `gapless`: after the id that equals the offset, because the datagrid has never
 * lost a row or a column. `plain`: after a row of an earlier page, because it has never lost a column.
 * `other`: only `PAGE` finds the start.
 */
const KIND = `CASE WHEN NOT d.plain_values THEN 'other'
  WHEN c.row_count = c.last_row_id THEN 'gapless' ELSE 'plain' END`;

/** Selects the text of a page; NULL if a row is not small. Then `LARGE_ROWS_PAGE` prints the page. */
const printedPage = (values: string): string =>
  `CASE WHEN bool_and(r.is_small) IS NOT FALSE THEN
    coalesce('[' || string_agg(CASE WHEN r.is_small THEN ${printedWithSharedTime(values)} END, ',') || ']', '[]')
  END AS json`;

const PAGE_COLUMNS = `${WITH_CREATED_TEXT}, ${IS_SMALL} AS is_small`;

/** Text of a page; NULL if it exceeds $5 bytes. Pages of many requests must fit into memory. */
const BOUNDED_JSON = 'CASE WHEN octet_length(p.json) <= $5::bigint THEN p.json END AS json';

/**
 * Reads one page, its total and its version in one snapshot, the ids of its first and last row, and the
 * `KIND` of the datagrid. Returns no row if the account has no such datagrid. Parameters: datagrid id, account
 * id, offset, limit, maximum size of the text in bytes. The repository reads the columns by
 * position.
 */
const PAGE: Statement = {
  name: 'row-page',
  text: `
    SELECT c.row_count AS total, c.revision, c.schema_version AS "schemaVersion", p.count,
      ${KIND} AS kind, p.first_id, p.last_id, ${WRITTEN_AT_MS} AS written_at_ms, d.has_computed,
      ${BOUNDED_JSON}
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    ${pageStartSql('$3::bigint')}
    CROSS JOIN LATERAL (
      SELECT count(*) AS count, min(r.id) AS first_id, max(r.id) AS last_id,
        ${printedPage(VISIBLE_VALUES)}
      FROM (
        SELECT ${PAGE_COLUMNS} FROM rows r WHERE r.datagrid_id = $1 AND r.id > at.after_id
        ORDER BY r.id OFFSET at.skip LIMIT $4
      ) r
    ) p
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`,
};

/**
 * Reads the same page for a datagrid that has never lost a column, if the id before its first row is
 * known. The statement is shorter, and its plan is faster to set up. Parameters: datagrid id, schema version
 * at which the account was seen to have the datagrid in this state, that id, limit, maximum size of the
 * text in bytes, and the revision and the time in milliseconds of the last write; both NULL if the datagrid
 * has never lost a row. Returns no row in any other state. Moving the datagrid to the trash also changes the
 * version.
 */
const PAGE_FROM: Statement = {
  name: 'row-page-from',
  text: `
    SELECT c.row_count AS total, c.revision, p.last_id, ${BOUNDED_JSON}
    FROM datagrid_counters c
    CROSS JOIN LATERAL (
      SELECT max(r.id) AS last_id, ${printedPage('r."values"')}
      FROM (
        SELECT ${PAGE_COLUMNS} FROM rows r WHERE r.datagrid_id = $1 AND r.id > $3::bigint
        ORDER BY r.id LIMIT $4
      ) r
    ) p
    WHERE c.datagrid_id = $1 AND c.schema_version = $2 AND CASE
      WHEN $6::bigint IS NULL THEN c.row_count = c.last_row_id
      ELSE c.revision = $6::bigint AND ${WRITTEN_AT_MS} = $7::bigint END`,
};

/**
 * Reads the same page, with the parameters of `PAGE`, for rows that may be large. Rows are printed
 * one after another. It stops when the text exceeds $5 bytes, and then returns NULL.
 */
export const LARGE_ROWS_PAGE = `
  WITH RECURSIVE page_start AS MATERIALIZED (
    SELECT d.id, d.plain_values, d.has_computed, c.row_count, c.revision, c.schema_version, at.after_id,
      at.skip
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    ${pageStartSql('$3::bigint')}
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL
  ), printed AS (
    SELECT 0::bigint AS n, NULL::text AS json, 1::bigint AS bytes, (
      SELECT r.id - 1 FROM rows r WHERE r.datagrid_id = $1 AND r.id > page_start.after_id
      ORDER BY r.id OFFSET page_start.skip LIMIT 1
    ) AS id
    FROM page_start
    UNION ALL
    SELECT p.n + 1, t.json, p.bytes + octet_length(t.json) + 1, t.id
    FROM printed p
    CROSS JOIN LATERAL (
      SELECT r.id, ${ROW_JSON} AS json
      FROM page_start d
      CROSS JOIN LATERAL (
        SELECT * FROM rows r WHERE r.datagrid_id = $1 AND r.id > p.id ORDER BY r.id LIMIT 1
      ) r
    ) t
    WHERE p.n < $4::bigint AND p.bytes <= $5::bigint
  )
  SELECT page_start.row_count AS total, page_start.revision, page_start.schema_version AS "schemaVersion",
    page_start.has_computed AS "hasComputed", p.count, p."lastId", p.json
  FROM page_start CROSS JOIN (
    SELECT max(n) AS count, max(id) FILTER (WHERE n > 0) AS "lastId", CASE WHEN max(bytes) <= $5::bigint THEN
      '[' || coalesce(string_agg(json, ',' ORDER BY n), '') || ']' END AS json
    FROM printed
  ) p`;
