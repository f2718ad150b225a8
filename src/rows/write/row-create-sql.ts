import type { Statement } from '../../platform/database/statement';
import { timeText } from '../storage/row-json-sql';
import { enterCreated, enteredSuffix, forEachKind, type Entered } from './enter-created-sql';
import { RAISE_WRITE_TIME, WRITE_TIME } from './write-time-sql';

/**
 * The whole write in one statement. The counter is taken first, which puts writes in order; ids
 * are handed out only for what is really created. Rows are dated after the wait for the lock; with
 * `isDated` as this transaction has dated its write before.
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
 * Creates rows: takes the datagrid, the version of its columns, an array of values by slot, how many
 * they are, by how much the revision goes up, and the unique and the indexed columns, as there are any.
 */
export const createStatement = forEachKind((entered) => statement(entered, false));

/** The same, for a transaction that has raised the revision before. */
export const createDatedStatement = forEachKind((entered) => statement(entered, true));
