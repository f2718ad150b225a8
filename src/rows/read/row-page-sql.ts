import type { Statement } from '../../platform/database/statement';
import { positionAt } from '../position/position-sql';
import { printedOnce, VISIBLE_VALUES, WITH_CREATED_TEXT } from '../storage/row-json-sql';

const printedPage = (values: string): string =>
  `coalesce('[' || string_agg(${printedOnce(values)}, ',') || ']', '[]') AS json`;

/** A page's text has to fit into the memory of many requests at once; NULL where it does not. */
const BOUNDED_JSON = 'CASE WHEN octet_length(p.json) <= $5::bigint THEN p.json END AS json';

/**
 * One page with everything that goes with it: whether the caller's account has the datagrid, the
 * total, and the rows as text, all of one snapshot; and whether `PLAIN_PAGE` would do. Takes the
 * datagrid, the account, the offset, the limit, and the most bytes that the text may have. The
 * repository reads the columns by their order.
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
        SELECT ${WITH_CREATED_TEXT} FROM rows r WHERE r.datagrid_id = $1 AND r.id > at.after_id
        ORDER BY r.id OFFSET at.skip LIMIT $4
      ) r
    ) p
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`,
};

/**
 * The same for a datagrid that has never lost a row or a column, so that a row's id is its
 * position. It says less, and a small plan is quicker to set up: takes the datagrid, the version
 * of its columns at which the account was seen to have it so, the offset, the limit and the most
 * bytes, and gives nothing at any other version, which going into the trash makes too.
 */
export const PLAIN_PAGE: Statement = {
  name: 'row-page-plain',
  text: `
    SELECT c.row_count AS total, c.revision, ${BOUNDED_JSON}
    FROM datagrid_counters c
    CROSS JOIN LATERAL (
      SELECT ${printedPage('r."values"')}
      FROM (
        SELECT ${WITH_CREATED_TEXT} FROM rows r WHERE r.datagrid_id = $1 AND r.id > $3::bigint
        ORDER BY r.id LIMIT $4
      ) r
    ) p
    WHERE c.datagrid_id = $1 AND c.schema_version = $2 AND c.row_count = c.last_row_id`,
};
