import { Injectable } from '@nestjs/common';
import { COLUMN_TYPES, needsCanonicalForm } from '../../datagrids/column-type/column-type';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import { uniqueHash } from '../storage/unique-sql';
import type { Check, Finding, ProblemKind } from './problem';

const canonical = COLUMN_TYPES.filter(needsCanonicalForm).map((type) => `'${type}'`);

/**
 * Each value of a unique column, once: how many rows hold it, the first of them, and whether
 * `unique_values` has it and points at one of them. The columns are of the same snapshot;
 * nothing is wrong with a datagrid that was deleted meanwhile.
 */
const HELD = `
  WITH u AS (
    SELECT id AS column_id, slot, type IN (${canonical.join(', ')}) AS is_decimal
    FROM datagrid_columns WHERE datagrid_id = $1 AND is_unique AND removed_at IS NULL
  ), valued AS (
    SELECT u.column_id, ${uniqueHash('r."values"')} AS hash, r.id
    FROM rows r CROSS JOIN u WHERE r.datagrid_id = $1 AND r."values" ? u.slot
  ), held AS MATERIALIZED (
    SELECT e.column_id, e.hash, count(*) AS rows, min(e.id) AS row_id,
      bool_or(v.row_id IS NOT NULL) AS is_stored,
      coalesce(bool_or(v.row_id = e.id), false) AS is_right
    FROM valued e
    LEFT JOIN unique_values v
      ON v.datagrid_id = $1 AND v.column_id = e.column_id AND v.value_hash = e.hash
    GROUP BY e.column_id, e.hash
  ), stale AS (
    SELECT v.column_id, v.value_hash, v.row_id FROM unique_values v
    WHERE v.datagrid_id = $1 AND EXISTS (SELECT FROM datagrids WHERE id = $1) AND NOT EXISTS (
      SELECT FROM held h WHERE h.column_id = v.column_id AND h.hash = v.value_hash)
  )`;

const FIND: Statement = {
  name: 'verify-unique-find',
  text: `
    ${HELD}
    SELECT p.kind, p.column_id AS "columnId", max(k.key) AS column, count(*) AS values,
      min(p.row_id) AS "firstRowId"
    FROM (
      SELECT 'unique_missing' AS kind, column_id, row_id FROM held WHERE NOT is_stored
      UNION ALL
      SELECT 'unique_wrong_row', column_id, row_id FROM held WHERE is_stored AND NOT is_right
      UNION ALL
      SELECT 'unique_duplicate', column_id, row_id FROM held WHERE rows > 1
      UNION ALL
      SELECT 'unique_stale', column_id, row_id FROM stale
    ) p
    LEFT JOIN datagrid_columns k ON k.datagrid_id = $1 AND k.id = p.column_id
    GROUP BY p.kind, p.column_id ORDER BY p.kind, p.column_id`,
};

const MEND: Statement = {
  name: 'verify-unique-mend',
  text: `
    ${HELD}, released AS (
      DELETE FROM unique_values v USING stale s
      WHERE v.datagrid_id = $1 AND v.column_id = s.column_id AND v.value_hash = s.value_hash
    )
    INSERT INTO unique_values (datagrid_id, column_id, value_hash, row_id)
    SELECT $1, column_id, hash, row_id FROM held WHERE NOT is_right
    ON CONFLICT (datagrid_id, column_id, value_hash) DO UPDATE SET row_id = excluded.row_id`,
};

const MEANING = {
  unique_missing: 'are held by rows, and not claimed: others could take them',
  unique_wrong_row: 'are claimed for a row that does not hold them',
  unique_duplicate: 'are held by more than one row: change all but one of them',
  unique_stale: 'are claimed, and no row holds them: nobody can take them',
} as const satisfies Partial<Record<ProblemKind, string>>;

interface Found {
  readonly kind: keyof typeof MEANING;
  readonly columnId: number;
  readonly column: string | null;
  readonly values: number;
  readonly firstRowId: number;
}

/** Holds the claims of unique values against the rows. Duplicates are found, and left. */
@Injectable()
export class UniqueCheckRepository implements Check {
  constructor(private readonly database: Database) {}

  async find(datagridId: string): Promise<Finding[]> {
    const found = await this.database.run<Found>(FIND, [datagridId]);
    return found.map(({ kind, ...figures }) => {
      const column = figures.column ?? `number ${String(figures.columnId)}`;
      const message = `${String(figures.values)} values of column ${column} ${MEANING[kind]}`;
      return { kind, message, figures };
    });
  }

  async mend(datagridId: string): Promise<void> {
    await this.database.run(MEND, [datagridId]);
  }
}
