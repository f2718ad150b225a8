import type { Statement } from '../../platform/database/statement';
import { positionAt } from '../position/position-sql';
import {
  IS_SMALL,
  printedOnce,
  ROW_JSON,
  VISIBLE_VALUES,
  WITH_CREATED_TEXT,
} from '../storage/row-json-sql';

/** Selects the text of a page; NULL if a row is not small: `LARGE_ROWS_PAGE` prints that page. */
const printedPage = (values: string): string =>
  `CASE WHEN bool_and(r.is_small) IS NOT FALSE THEN
    coalesce('[' || string_agg(CASE WHEN r.is_small THEN ${printedOnce(values)} END, ',') || ']', '[]')
  END AS json`;

const PAGE_COLUMNS = `${WITH_CREATED_TEXT}, ${IS_SMALL} AS is_small`;

/** Text of a page; NULL if it exceeds $5 bytes. Pages of many requests must fit into memory. */
const BOUNDED_JSON = 'CASE WHEN octet_length(p.json) <= $5::bigint THEN p.json END AS json';

/**
 * Reads one page, its total and its version in one snapshot, and whether `PLAIN_PAGE` can serve the
 * datagrid. Returns no row if the account has no such datagrid. Parameters: datagrid id, account
 * id, offset, limit, maximum size of the text in bytes. The repository reads the columns by
 * position.
 */
export const PAGE: Statement = {
  name: 'row-page',
  text: `
    SELECT c.row_count AS total, c.revision, c.schema_version AS "schemaVersion", p.count,
      d.plain_values AND c.row_count = c.last_row_id AS "isPlain", ${BOUNDED_JSON}
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    ${positionAt('$3::bigint')}
    CROSS JOIN LATERAL (
      SELECT count(*) AS count, ${printedPage(VISIBLE_VALUES)}
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
export const PLAIN_PAGE: Statement = {
  name: 'row-page-plain',
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
 * Reads the same page, with the parameters of `PAGE`, for rows that may be large. Rows are printed
 * one after another, and only as many as fit into the text.
 */
export const LARGE_ROWS_PAGE = `
  WITH RECURSIVE place AS MATERIALIZED (
    SELECT d.id, d.plain_values, c.row_count, c.revision, c.schema_version, at.after_id, at.skip
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    ${positionAt('$3::bigint')}
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL
  ), printed AS (
    SELECT 0::bigint AS n, NULL::text AS json, 1::bigint AS bytes, (
      SELECT r.id - 1 FROM rows r WHERE r.datagrid_id = $1 AND r.id > place.after_id
      ORDER BY r.id OFFSET place.skip LIMIT 1
    ) AS id
    FROM place
    UNION ALL
    SELECT p.n + 1, t.json, p.bytes + octet_length(t.json) + 1, t.id
    FROM printed p
    CROSS JOIN LATERAL (
      SELECT r.id, ${ROW_JSON} AS json
      FROM place d
      CROSS JOIN LATERAL (
        SELECT * FROM rows r WHERE r.datagrid_id = $1 AND r.id > p.id ORDER BY r.id LIMIT 1
      ) r
    ) t
    WHERE p.n < $4::bigint AND p.bytes <= $5::bigint
  )
  SELECT place.row_count AS total, place.revision, place.schema_version AS "schemaVersion",
    p.count, p.json
  FROM place CROSS JOIN (
    SELECT max(n) AS count, CASE WHEN max(bytes) <= $5::bigint THEN
      '[' || coalesce(string_agg(json, ',' ORDER BY n), '') || ']' END AS json
    FROM printed
  ) p`;
