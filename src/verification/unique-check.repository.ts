import { Injectable } from '@nestjs/common';
import { COLUMN_TYPE_NAMES, COLUMN_TYPES } from '../datagrids/column-type/column-type';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import { uniqueHash } from '../rows/storage/unique-sql';
import type { Check, Finding, ProblemKind } from './problem';

const canonical = COLUMN_TYPE_NAMES.filter((type) => COLUMN_TYPES[type].isDecimalText).map(
  (type) => `'${type}'`,
);

/**
 * Common table expressions that compute `compared`: one row per value of a unique column that is
 * held by a row or claimed. It contains the number of rows that hold the value, the first of them,
 * and the row that the value is claimed for. Claims that are scheduled for cleanup are excluded.
 * The columns come from the same snapshot, and a datagrid that was deleted in the meantime has no
 * problems. Values are matched by grouping, not by a join: the planner has too little information
 * to join them efficiently.
 */
const COMPARED = `
  WITH u AS (
    SELECT id AS column_id, slot, CASE WHEN type IN (${canonical.join(', ')}) THEN 'decimal'
      WHEN (options ->> 'ignoreCase')::boolean THEN 'withoutCase' ELSE 'stored' END AS compared_as
    FROM datagrid_columns WHERE datagrid_id = $1 AND is_unique AND removed_at IS NULL
  ), compared AS (
    SELECT column_id, hash, count(held) AS rows, min(held) AS held, max(claimed) AS claimed
    FROM (
      SELECT u.column_id, ${uniqueHash('r."values"')} AS hash, r.id AS held, NULL::bigint AS claimed
      FROM rows r CROSS JOIN u WHERE r.datagrid_id = $1 AND r."values" ? u.slot
      UNION ALL
      SELECT column_id, value_hash, NULL, row_id FROM unique_values
      WHERE datagrid_id = $1 AND EXISTS (SELECT FROM datagrids WHERE id = $1)
        AND column_id <> ALL(ARRAY(
          SELECT id FROM datagrid_columns WHERE datagrid_id = $1 AND claims_left_at IS NOT NULL
        ))
    ) v
    GROUP BY column_id, hash
  )`;

/** Condition for a claim of a wrong row. Any of several rows with a value may have claimed it. */
const IS_WRONG_ROW = 'rows = 1 AND claimed <> held';

const FIND: Statement = {
  name: 'verify-unique-find',
  text: `
    ${COMPARED}
    SELECT p.kind, p.column_id AS "columnId", max(k.key) AS column, count(*) AS values,
      min(coalesce(p.held, p.claimed)) AS "firstRowId"
    FROM (
      SELECT c.*, kind
      FROM compared c CROSS JOIN LATERAL unnest(ARRAY[
        CASE WHEN rows > 0 AND claimed IS NULL THEN 'unique_missing'
          WHEN ${IS_WRONG_ROW} THEN 'unique_wrong_row' WHEN rows = 0 THEN 'unique_stale' END,
        CASE WHEN rows > 1 THEN 'unique_duplicate' END]) AS kind
      WHERE kind IS NOT NULL
    ) p
    LEFT JOIN datagrid_columns k ON k.datagrid_id = $1 AND k.id = p.column_id
    GROUP BY p.kind, p.column_id ORDER BY p.kind, p.column_id`,
};

const REPAIR: Statement = {
  name: 'verify-unique-repair',
  text: `
    ${COMPARED}, released AS (
      DELETE FROM unique_values v USING compared c
      WHERE v.datagrid_id = $1 AND v.column_id = c.column_id AND v.value_hash = c.hash
        AND c.rows = 0
    )
    INSERT INTO unique_values (datagrid_id, column_id, value_hash, row_id)
    SELECT $1, column_id, hash, held FROM compared
    WHERE rows > 0 AND (claimed IS NULL OR ${IS_WRONG_ROW})
    ON CONFLICT (datagrid_id, column_id, value_hash) DO UPDATE SET row_id = excluded.row_id`,
};

const MEANING = {
  unique_missing: 'are in rows but not reserved: other rows could take them',
  unique_wrong_row: 'are reserved for a row that does not have them',
  unique_duplicate: 'are in more than one row: change all but one of them',
  unique_stale: 'are reserved, but no row has them: no row can take them',
} as const satisfies Partial<Record<ProblemKind, string>>;

interface FoundPage {
  readonly kind: keyof typeof MEANING;
  readonly columnId: number;
  readonly column: string | null;
  readonly values: number;
  readonly firstRowId: number;
}

/** Compares the claims of unique values with the rows. Duplicates are reported but not repaired. */
@Injectable()
export class UniqueCheckRepository implements Check {
  constructor(private readonly database: Database) {}

  async find(datagridId: string): Promise<Finding[]> {
    const found = await this.database.run<FoundPage>(FIND, [datagridId]);
    return found.map(({ kind, ...figures }) => {
      const column = figures.column ?? `number ${String(figures.columnId)}`;
      const message = `${String(figures.values)} values of column ${column} ${MEANING[kind]}`;
      return { kind, message, figures };
    });
  }

  async repair(datagridId: string): Promise<void> {
    await this.database.run(REPAIR, [datagridId]);
  }
}
