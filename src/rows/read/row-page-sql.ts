import type { Statement } from '../../platform/database/statement';
import { positionAt } from '../position/position-sql';
import { PLAIN_ROW_JSON, ROW_JSON } from '../storage/row-json-sql';

const NUMBERS = 'c.row_count AS total, c.revision, c.schema_version AS "schemaVersion"';
const printedPage = (rowJson: string): string =>
  `count(*) AS count, coalesce('[' || string_agg(${rowJson}, ',') || ']', '[]') AS json`;

/** A page's text has to fit into the memory of many requests at once; NULL where it does not. */
const BOUNDED_JSON = 'CASE WHEN octet_length(p.json) <= $5::bigint THEN p.json END';

/**
 * One page with everything that goes with it: whether the caller's account has the datagrid, the
 * total, and the rows as text, all of one snapshot. Takes the datagrid, the account, the offset,
 * the limit, and the most bytes that the text may have.
 */
export const PAGE: Statement = {
  name: 'row-page',
  text: `
    SELECT ${NUMBERS}, p.count, ${BOUNDED_JSON} AS json
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    ${positionAt('$3::bigint')}
    CROSS JOIN LATERAL (
      SELECT ${printedPage(ROW_JSON)}
      FROM (
        SELECT * FROM rows WHERE datagrid_id = $1 AND id > at.after_id
        ORDER BY id OFFSET at.skip LIMIT $4
      ) r
    ) p
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`,
};

/**
 * The same for a datagrid that has never lost a row or a column, which it checks: elsewhere it
 * gives nothing. It is there because a small plan is quicker to set up.
 */
export const PLAIN_PAGE: Statement = {
  name: 'row-page-plain',
  text: `
    SELECT ${NUMBERS}, p.count, ${BOUNDED_JSON} AS json
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    CROSS JOIN LATERAL (
      SELECT ${printedPage(PLAIN_ROW_JSON)}
      FROM (
        SELECT * FROM rows WHERE datagrid_id = $1 AND id > $3::bigint ORDER BY id LIMIT $4
      ) r
    ) p
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL
      AND d.plain_values AND c.row_count = c.last_row_id`,
};
