import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { PageRequest } from '../../common/paging/page-request';
import { QueryPool } from '../../platform/database/query-pool';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { pageStartSql } from '../position/position-sql';
import { PageStarts } from './page-starts';
import {
  IS_SMALL,
  printedWithSharedTime,
  ROW_JSON,
  VISIBLE_VALUES,
  WITH_CREATED_TEXT,
} from '../storage/row-json-sql';

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

const MAX_REMEMBERED_DATAGRIDS = 20_000;

/** A version of the columns, and whether some of them are computed. */
type GaplessVersion = Pick<RowText, 'schemaVersion' | 'hasComputed'>;

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
 * Reads rows as JSON text. Every statement is limited to the account, except `GAPLESS_PAGE` and
 * `PAGE_FROM`, which take a schema version that an earlier `PAGE` read for this account. The version
 * changes when the datagrid is moved to the trash.
 */
@Injectable()
export class RowReadRepository {
  /**
   * Schema version at which `GAPLESS_PAGE` can read a datagrid, by account and datagrid. A missing or
   * outdated entry only costs time.
   */
  private readonly gaplessVersions = new LRUCache<string, GaplessVersion>({
    max: MAX_REMEMBERED_DATAGRIDS,
  });
  private readonly starts = new PageStarts();

  constructor(
    private readonly database: Database,
    private readonly queries: QueryPool,
  ) {}

  /** Returns a page, or `null` if the account has no such datagrid. Prints only small rows. */
  async findPage(
    accountId: string,
    datagridId: string,
    { page, limit }: PageRequest,
    maxBytes: number,
  ): Promise<RowPageText | null> {
    const key = `${accountId} ${datagridId}`;
    const range: PageRange = { offset: (page - 1) * limit, limit, maxBytes };
    return (
      (await this.findGaplessPage(accountId, datagridId, key, range)) ??
      (await this.findPageFrom(accountId, datagridId, key, range)) ??
      (await this.findAnyPage(accountId, datagridId, key, range))
    );
  }

  private async findGaplessPage(
    accountId: string,
    datagridId: string,
    key: string,
    { offset, limit, maxBytes }: PageRange,
  ): Promise<RowPageText | null> {
    const known = this.gaplessVersions.get(key);
    if (known === undefined) return null;
    const { schemaVersion, hasComputed } = known;
    const values = [datagridId, schemaVersion, offset, limit, maxBytes];
    const found = await this.database.runForText(GAPLESS_PAGE, values, { accountId, rows: limit });
    if (!found) {
      this.gaplessVersions.delete(key);
      return null;
    }
    const [total, revision, json = null] = found;
    const count = countOf(Number(total), offset, limit);
    const version = { revision: Number(revision), schemaVersion };
    // The id of a row is its position.
    const lastId = count > 0 ? offset + count : null;
    return { json, total: Number(total), ...version, count, lastId, hasComputed };
  }

  private async findPageFrom(
    accountId: string,
    datagridId: string,
    key: string,
    { offset, limit, maxBytes }: PageRange,
  ): Promise<RowPageText | null> {
    const start = this.starts.find(key, offset);
    if (!start) return null;
    const { schemaVersion, revision, writtenAtMs, hasComputed, afterId } = start;
    const values = [datagridId, schemaVersion, afterId, limit, maxBytes, revision, writtenAtMs];
    const found = await this.database.runForText(PAGE_FROM, values, { accountId, rows: limit });
    if (!found) {
      this.starts.forget(key);
      return null;
    }
    const [total, lastIdText, json = null] = found;
    const count = countOf(Number(total), offset, limit);
    const lastId = idOf(lastIdText);
    const ids = { firstId: afterId + 1, lastId };
    const version = { schemaVersion, revision, writtenAtMs, hasComputed };
    this.starts.note(key, { ...version, offset, count, ...ids });
    return { json, total: Number(total), revision, schemaVersion, count, lastId, hasComputed };
  }

  private async findAnyPage(
    accountId: string,
    datagridId: string,
    key: string,
    { offset, limit, maxBytes }: PageRange,
  ): Promise<RowPageText | null> {
    const values = [datagridId, accountId, offset, limit, maxBytes];
    const found = await this.database.runForText(PAGE, values, { accountId, rows: limit });
    if (!found) return null;
    const [totalText, revisionText, versionText, countText, ...more] = found;
    const [kind, firstId, lastIdText, writtenAt, computed, json = null] = more;
    const lastId = idOf(lastIdText);
    const hasComputed = computed === 't';
    const [total, count] = [Number(totalText), Number(countText)];
    const [revision, schemaVersion] = [Number(revisionText), Number(versionText)];
    if (kind === 'gapless') this.gaplessVersions.set(key, { schemaVersion, hasComputed });
    if (kind === 'plain') {
      const ids = { firstId: idOf(firstId), lastId };
      const writtenAtMs = Number(writtenAt);
      const version = { schemaVersion, revision, writtenAtMs, hasComputed };
      this.starts.note(key, { ...version, offset, count, ...ids });
    }
    return { json, total, revision, schemaVersion, count, lastId, hasComputed };
  }

  /**
   * Like `findPage`, for rows of any size. It uses the connections for queries, because it can take
   * long.
   * @throws QueryTimeoutError, or AppError as `QueryPool.run`.
   */
  async findLargePage(
    accountId: string,
    datagridId: string,
    { page, limit }: PageRequest,
    maxBytes: number,
  ): Promise<RowPageText | null> {
    const values = [datagridId, accountId, (page - 1) * limit, limit, maxBytes];
    const [found] = await this.queries.run<RowPageText>(accountId, LARGE_ROWS_PAGE, values, 'scan');
    return found ?? null;
  }

  /** Returns a row, or `null` if the account has no such datagrid or the datagrid no such row. */
  async findOne(accountId: string, datagridId: string, rowId: number): Promise<RowText | null> {
    const values = [datagridId, accountId, rowId];
    const found = await this.database.runForText(ROW_BY_ID, values, { accountId, rows: 1 });
    if (!found) return null;
    const [revision, schemaVersion, json, hasComputed] = found;
    const version = { revision: Number(revision), schemaVersion: Number(schemaVersion) };
    return { ...version, json: json ?? '', hasComputed: hasComputed === 't' };
  }
}

/** Number of rows on a page, from the total of the same snapshot. */
const countOf = (total: number, offset: number, limit: number): number =>
  Math.max(0, Math.min(limit, total - offset));

const idOf = (text: string | null | undefined): number | null =>
  text === null || text === undefined ? null : Number(text);

/** Time of the last write of counter `c`, in milliseconds since 1970. */
const WRITTEN_AT_MS = `coalesce((extract(epoch FROM c.last_written_at) * 1000)::bigint, 0)`;

/**
 * How later pages can be read: `gapless` by `GAPLESS_PAGE`, because the datagrid has never lost a row or a
 * column; `plain` by `PAGE_FROM`, because it has never lost a column; `other` only by `PAGE`.
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
 * Reads the same page for a datagrid that has never lost a row or a column, so that a row's id is
 * its position. The statement is shorter, and its plan is faster to set up. Parameters: datagrid
 * id, schema version at which the account was seen to have the datagrid in this state, offset,
 * limit, maximum size of the text in bytes. Returns no row at any other version. Moving the
 * datagrid to the trash also changes the version.
 */
const GAPLESS_PAGE: Statement = {
  name: 'row-page-gapless',
  text: `
    SELECT c.row_count AS total, c.revision, ${BOUNDED_JSON}
    FROM datagrid_counters c
    CROSS JOIN LATERAL (
      SELECT ${printedPage('r."values"')}
      FROM (
        SELECT ${PAGE_COLUMNS} FROM rows r WHERE r.datagrid_id = $1 AND r.id > $3::bigint
        ORDER BY r.id LIMIT $4
      ) r
    ) p
    WHERE c.datagrid_id = $1 AND c.schema_version = $2 AND c.row_count = c.last_row_id`,
};

/**
 * Reads the same page for a datagrid that has never lost a column, if the id before its first row is
 * known for the revision. Parameters: as for `GAPLESS_PAGE`, with that id instead of the offset, the
 * revision, and the time of its write in milliseconds. Returns no row in any other state.
 */
const PAGE_FROM: Statement = {
  name: 'row-page-from',
  text: `
    SELECT c.row_count AS total, p.last_id, ${BOUNDED_JSON}
    FROM datagrid_counters c
    CROSS JOIN LATERAL (
      SELECT max(r.id) AS last_id, ${printedPage('r."values"')}
      FROM (
        SELECT ${PAGE_COLUMNS} FROM rows r WHERE r.datagrid_id = $1 AND r.id > $3::bigint
        ORDER BY r.id LIMIT $4
      ) r
    ) p
    WHERE c.datagrid_id = $1 AND c.schema_version = $2 AND c.revision = $6::bigint
      AND ${WRITTEN_AT_MS} = $7::bigint`,
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

const VERSION: Statement = {
  name: 'row-version',
  text: `
    SELECT c.revision, c.schema_version AS "schemaVersion"
    FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`,
};

/** Version that determines the printed rows: that of the last write and that of the columns. */
export interface RowVersion {
  readonly revision: number;
  readonly schemaVersion: number;
}

@Injectable()
export class RowVersionRepository {
  constructor(private readonly database: Database) {}

  /** Returns the version without reading rows, or `null` if the account has no such datagrid. */
  async find(accountId: string, datagridId: string): Promise<RowVersion | null> {
    const [found] = await this.database.run<RowVersion>(VERSION, [datagridId, accountId]);
    return found ?? null;
  }
}

const REMEMBERED_MS = 60_000;

/**
 * Datagrids that had a row that is not small (see `IS_SMALL`), or a page that was too large.
 * Their pages are printed row by row, on the connections for queries. Losing an entry only costs time.
 */
@Injectable()
export class LargeRowDatagrids {
  private readonly found = new LRUCache<string, true>({
    max: MAX_REMEMBERED_DATAGRIDS,
    ttl: REMEMBERED_MS,
  });

  mayHave(datagridId: string): boolean {
    return this.found.has(datagridId);
  }

  note(datagridId: string): void {
    this.found.set(datagridId, true);
  }
}
