import type { Statement } from '../../platform/database/statement';
import { timeText } from '../storage/row-json-sql';
import { enterCreated, enteredSuffix, forEachKind, type Entered } from './enter-created-sql';
import { RAISE_WRITE_TIME, WRITE_TIME } from './write-time-sql';

/**
 * Returns the whole write as one statement. It locks the counter first, so that writes are ordered
 * and ids are assigned only to rows that are really created. Rows get the time after the wait for
 * the lock. With `isDated`, they get the time that this transaction has already set for its write.
 */
function statement(entered: Entered, isDated: boolean): Statement {
  return {
    name: `row-create${isDated ? '-dated' : ''}${enteredSuffix(entered)}`,
    text: `
    WITH taken AS (
      UPDATE datagrid_counters
      SET last_row_id = last_row_id + $4, row_count = row_count + $4,
        revision = revision + $5::bigint${isDated ? '' : `, ${RAISE_WRITE_TIME}`}
      WHERE datagrid_id = $1 AND schema_version = $2
      RETURNING last_row_id - $4 AS before, revision, last_written_at
    ), counter AS MATERIALIZED (
      SELECT before, revision, ${isDated ? 'last_written_at' : WRITE_TIME} AS at FROM taken
    ), created AS (
      INSERT INTO rows (datagrid_id, id, "values", revision, created_at, updated_at)
      SELECT $1, counter.before + item.ordinal, item.value,
        counter.revision - CASE WHEN $5::bigint = $4 THEN $4 - item.ordinal ELSE 0 END,
        counter.at, counter.at
      FROM counter
      CROSS JOIN jsonb_array_elements($3::jsonb) WITH ORDINALITY AS item(value, ordinal)
      RETURNING id, "values"
    )${enterCreated(entered)}
    SELECT before + 1 AS "firstId", revision, ${timeText('at')} AS at FROM counter`,
  };
}

/**
 * Creates rows. Parameters: the datagrid, the version of its columns, an array of values by slot,
 * the number of rows, the increment of the revision, and the unique and indexed columns, if there
 * are any.
 */
export const createStatement = forEachKind((entered) => statement(entered, false));

/** Like `createStatement`, for a transaction that has already raised the revision. */
export const createDatedStatement = forEachKind((entered) => statement(entered, true));
