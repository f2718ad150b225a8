import { atMs } from '../datagrids/change-log/change-log-sql';
import type { Statement } from '../platform/database/text-query';
import {
  IS_SMALL,
  printedWithSharedTime,
  ROW_JSON,
  VISIBLE_VALUES,
  WITH_CREATED_TEXT,
} from '../rows/storage/row-json-sql';

/** Datagrid `$1` of account `$2`. */
export const OWN_DATAGRID = `
  FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
  WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`;

/** The revision and the version of the columns of that datagrid. */
export const SNAPSHOT = `c.revision, ${atMs('c.revision')} AS "atMs", c.schema_version AS "schemaVersion"`;

/** @param end Expression of a text that ends the item; by default, there is none. */
const SET = (row: string, end = ''): string =>
  `'{"op":"set","row":' || ${row}${end === '' ? '' : ` || ${end}`} || '}'`;

const PRINTED = printedWithSharedTime(VISIBLE_VALUES);

/**
 * Condition for a row that is returned with the entry whose last revision is `g.high`: no later entry
 * wrote it, or it was written after the entries were read. A row that a later entry wrote is returned
 * with that entry. The restoration of a column names rows with an earlier revision.
 */
const IS_RETURNED = '(r.revision <= g.high OR r.revision > $6::bigint)';

/**
 * Condition for the rows that entries name. If the statistics are older than a load of rows, PostgreSQL
 * may look each one up among all rows of the datagrid, unless it has the ids of all of them.
 */
const IS_NAMED = 'r.datagrid_id = $1 AND r.id = ANY($3::bigint[])';

/** The text `g.origin` of a row, or an empty one if a later write has changed the row. */
const OWN_ORIGIN = "CASE WHEN r.revision <= g.high THEN g.origin ELSE '' END";

interface NamedRowsSql {
  /** FROM item `g` with a row for each row that entries name. */
  readonly named: string;
  /** Further columns of the rows. */
  readonly columns: string;
  /** Name of the column that ends an item. */
  readonly end: string;
}

/** Returns one row for each segment, or one without a segment. Texts are not quoted as JSON. */
const rows = (name: string, { named, columns, end }: NamedRowsSql): Statement => ({
  name,
  text: `
    SELECT d.revision, d."atMs", d."schemaVersion", p.*
    FROM (SELECT d.id, d.plain_values, ${SNAPSHOT} ${OWN_DATAGRID} OFFSET 0) d
    LEFT JOIN LATERAL (
      SELECT r.segment, count(*) AS count, CASE WHEN bool_and(r.is_small) THEN
          string_agg(CASE WHEN r.is_small THEN ${SET(PRINTED, end)} END, $7::text ORDER BY r.n)
        END AS json
      FROM (
        SELECT g.segment, g.n, ${WITH_CREATED_TEXT}, ${IS_SMALL} AS is_small${columns}
        FROM ${named}
        JOIN rows r ON ${IS_NAMED} AND r.id = g.id AND ${IS_RETURNED}
        OFFSET 0
      ) r
      GROUP BY r.segment
    ) p ON true`,
});

const ARRAYS = '$3::bigint[], $4::int[], $5::bigint[]';

/** Prints rows that entries name, if all of them are small. */
export const ROWS = rows('change-rows', {
  named: `unnest(${ARRAYS}) WITH ORDINALITY AS g(id, segment, high, n)`,
  columns: '',
  end: '',
});

/** The same, with the text of an origin for each. */
export const ROWS_WITH_ORIGINS = rows('change-rows-with-origins', {
  named: `unnest(${ARRAYS}, $8::text[]) WITH ORDINALITY AS g(id, segment, high, origin, n)`,
  columns: `, ${OWN_ORIGIN} AS origin`,
  end: 'r.origin',
});

/**
 * Reads the same rows one after another, until the text exceeds `$7` bytes or `$9` milliseconds are over.
 * `$8` has the origins, or is `null`. Returns one row for each row that it has found, or one without a
 * segment.
 */
export const LARGE_ROWS = `
  WITH RECURSIVE source AS MATERIALIZED (
    SELECT d.id, d.plain_values, ${SNAPSHOT} ${OWN_DATAGRID}
  ), named AS MATERIALIZED (
    SELECT g.n, g.high, r.*
    FROM unnest($3::bigint[], $5::bigint[]) WITH ORDINALITY AS g(row_id, high, n)
    JOIN rows r ON ${IS_NAMED} AND r.id = g.row_id AND ${IS_RETURNED}
  ), printed AS (
    SELECT 0 AS n, NULL::int AS segment, NULL::text AS json, 0::bigint AS bytes FROM source
    UNION ALL
    SELECT p.n + 1, ($4::int[])[p.n + 1], t.json, p.bytes + coalesce(octet_length(t.json), 0) + 1
    FROM printed p
    LEFT JOIN LATERAL (
      SELECT ${SET(ROW_JSON, OWN_ORIGIN)} AS json
      FROM source d
      CROSS JOIN named r
      CROSS JOIN LATERAL (SELECT r.high, coalesce(($8::text[])[p.n + 1], '') AS origin) g
      WHERE r.n = p.n + 1
    ) t ON true
    WHERE p.n < cardinality($3::bigint[]) AND p.bytes <= $7::bigint
      AND (p.n = 0 OR clock_timestamp() < statement_timestamp() + $9::int * interval '1 ms')
  )
  SELECT s.revision, s."atMs", s."schemaVersion", (SELECT max(n) FROM printed) AS read, p.segment, p.json
  FROM source s LEFT JOIN printed p ON p.json IS NOT NULL ORDER BY p.n`;

/** Prints the next `$4` rows after the id `$3`, if all of them are small. */
export const ROWS_AFTER: Statement = {
  name: 'change-rows-after',
  text: `
    SELECT ${SNAPSHOT}, ${atMs('$6::bigint')} AS "seenAtMs", p.json, p.ids
    FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
    CROSS JOIN LATERAL (
      SELECT coalesce(json_agg(r.id), '[]') AS ids, CASE WHEN bool_and(r.is_small) IS NOT FALSE THEN
          coalesce(string_agg(CASE WHEN r.is_small THEN ${SET(PRINTED)} END, $5::text), '')
        END AS json
      FROM (
        SELECT ${WITH_CREATED_TEXT}, ${IS_SMALL} AS is_small
        FROM rows r WHERE r.datagrid_id = $1 AND r.id > $3::bigint ORDER BY r.id LIMIT $4::int
      ) r
    ) p
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`,
};
