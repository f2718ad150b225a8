import type { Statement } from '../../../platform/database/statement';
import { decompressed } from '../../storage/each-column-sql';
import { uniqueHashes } from '../../storage/unique-sql';
import {
  enterCreated,
  enteredSuffix,
  forEachKind,
  type Entered,
} from '../../write/enter-created-sql';
import { RAISE_WRITE_TIME } from '../../write/write-time-sql';

const STAGED =
  'FROM import_lines WHERE datagrid_id = $1 AND import_id = $2 AND line BETWEEN $3 AND $4';

/**
 * Creates rows from the `$5` lines of a step. The transaction already holds the datagrid's lock, so
 * rows get the start time of this statement. All checks except those of unique values were made
 * before the lines were staged.
 */
function insertStep(entered: Entered): Statement {
  return {
    name: `import-step${enteredSuffix(entered)}`,
    text: `
    WITH staged AS (
      SELECT row_number() OVER (ORDER BY line) AS ordinal, "values" ${STAGED}
    ), counter AS (
      UPDATE datagrid_counters
      SET last_row_id = last_row_id + $5::bigint, row_count = row_count + $5,
        revision = revision + 1, ${RAISE_WRITE_TIME}
      WHERE datagrid_id = $1
      RETURNING last_row_id - $5 AS before, revision, last_written_at AS at
    ), created AS (
      INSERT INTO rows (datagrid_id, id, "values", revision, created_at, updated_at)
      SELECT $1, counter.before + staged.ordinal, staged."values", counter.revision, counter.at,
        counter.at
      FROM counter CROSS JOIN staged
      RETURNING id${entered.hasUnique || entered.hasIndex ? ', "values"' : ''}
    )${enterCreated(entered)}
    SELECT count(*) AS count FROM created`,
  };
}

export const insertStatement = forEachKind(insertStep);

/** Finds the row that holds each value by its key. A join could read all unique values. */
export const UNIQUE_VALUES: Statement = {
  name: 'import-unique-values',
  text: `
    WITH given AS MATERIALIZED (
      SELECT r.line, e.column_id, e.hash
      FROM ${uniqueHashes(`SELECT line, ${decompressed('"values"')} AS "values" ${STAGED}`, 5)}
    )
    SELECT g.line, g.column_id AS "columnId", encode(g.hash, 'hex') AS hash,
      (SELECT v.row_id FROM unique_values v
        WHERE v.datagrid_id = $1 AND v.column_id = g.column_id AND v.value_hash = g.hash
      ) AS "rowId"
    FROM given g ORDER BY g.line`,
};

export const LINES: Statement = {
  name: 'import-lines',
  text: `SELECT line, "values" ${STAGED} ORDER BY line`,
};

export const REMOVE: Statement = { name: 'import-remove', text: `DELETE ${STAGED}` };

/** Looks up each line by its key, because the planner has no statistics of this table. */
export const REMOVE_SOME: Statement = {
  name: 'import-remove-some',
  text: `
    DELETE FROM import_lines
    WHERE datagrid_id = $1 AND ctid = ANY(ARRAY(
      SELECT (
        SELECT l.ctid FROM import_lines l
        WHERE l.datagrid_id = $1 AND l.import_id = $2 AND l.line = g.line
      )
      FROM unnest($3::bigint[]) AS g(line)
    ))`,
};
