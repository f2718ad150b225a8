import type { Statement } from '../../platform/database/statement';
import { timeText } from '../storage/row-json-sql';
import { enterCreated, enteredSuffix, forEachKind, type Entered } from './enter-created-sql';

/**
 * The whole write in one statement. The counter is taken first, which puts writes in order; ids
 * are handed out only for what is really created. Inside a transaction that has locked the counter
 * before, rows are dated as it is; otherwise after the wait for the lock.
 */
function statement(entered: Entered): Statement {
  return {
    name: `row-create${enteredSuffix(entered)}`,
    text: `
    WITH counter AS (
      UPDATE datagrid_counters
      SET last_row_id = last_row_id + $4, row_count = row_count + $4, revision = revision + $5::bigint
      WHERE datagrid_id = $1 AND schema_version = $2
      RETURNING last_row_id - $4 AS before, revision,
        (CASE WHEN $5::bigint = 0 THEN now() ELSE clock_timestamp() END)::timestamptz(3) AS at
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
export const createStatement = forEachKind(statement);
