import { Injectable } from '@nestjs/common';
import {
  COLUMN_TYPE_NAMES,
  type ColumnType,
  isComparable,
} from '../datagrids/column-type/column-type';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import {
  INDEX_KINDS,
  indexTable,
  type IndexTable,
  isEmpty,
} from '../rows/storage/index-entries-sql';
import type { Check, Finding, ProblemKind } from './problem';

const MEANING = {
  index_missing: 'have no index entry: queries may miss them',
  index_wrong: 'have an index entry with another value: queries may miss them',
  index_stale: 'have an extra index entry: queries may return them wrongly',
} as const satisfies Partial<Record<ProblemKind, string>>;

interface IndexedColumn {
  readonly id: number;
  readonly type: ColumnType;
}

interface Found {
  readonly kind: keyof typeof MEANING;
  readonly columnId: number;
  readonly column: string | null;
  readonly entries: number;
  readonly firstRowId: number;
}

/**
 * Compares the indexes of columns with the rows, each index in its own statement. Also finds
 * entries of columns that have no index.
 */
@Injectable()
export class IndexCheckRepository implements Check {
  constructor(private readonly database: Database) {}

  async find(datagridId: string): Promise<Finding[]> {
    const found: Found[] = [];
    const columns = await this.columns(datagridId);
    for (const { table, find, findLeft } of INDEX_STATEMENTS) {
      for (const { id } of columns.filter(({ type }) => indexTable(type) === table)) {
        found.push(...(await this.database.run<Found>(find, [datagridId, id])));
      }
      found.push(...(await this.database.run<Found>(findLeft, [datagridId])));
    }
    return found.map(({ kind, ...figures }) => {
      const column = figures.column ?? `number ${String(figures.columnId)}`;
      const message = `${String(figures.entries)} rows of column ${column} ${MEANING[kind]}`;
      return { kind, message, figures };
    });
  }

  async repair(datagridId: string): Promise<void> {
    const columns = await this.columns(datagridId);
    for (const { table, repair, removeLeft } of INDEX_STATEMENTS) {
      await this.database.run(removeLeft, [datagridId]);
      for (const { id } of columns.filter(({ type }) => indexTable(type) === table)) {
        await this.database.run(repair, [datagridId, id]);
      }
    }
  }

  private async columns(datagridId: string): Promise<IndexedColumn[]> {
    return this.database.run<IndexedColumn>(INDEXED_COLUMNS, [datagridId]);
  }
}

/**
 * Lists the indexed columns of datagrid $1. The statements that check a column read again whether
 * it is indexed.
 */
const INDEXED_COLUMNS: Statement = {
  name: 'verify-index-columns',
  text: `
    SELECT id, type FROM datagrid_columns
    WHERE datagrid_id = $1 AND indexed_to IS NOT NULL AND removed_at IS NULL ORDER BY id`,
};

/** The statements for one of the two tables of index entries. */
export interface IndexStatements {
  readonly table: IndexTable;
  /** Finds problems in the index of column $2. */
  readonly find: Statement;
  /** Repairs the index of column $2. */
  readonly repair: Statement;
  /** Finds entries of columns that have no index. */
  readonly findLeft: Statement;
  /** Deletes entries of columns that have no index. */
  readonly removeLeft: Statement;
}

const kept = (table: IndexTable): string => {
  const types = COLUMN_TYPE_NAMES.filter(
    (type) => isComparable(type) && indexTable(type) === table,
  );
  return `removed_at IS NULL AND indexed_to IS NOT NULL
    AND type IN (${types.map((type) => `'${type}'`).join(', ')})`;
};

/**
 * Common table expressions that compute `unmatched`: entries of column $2 that are either expected
 * or stored, but not both. While an index is being built, entries of rows beyond its progress may
 * or may not exist. If the column has lost its index in the meantime, nothing is unmatched. Entries
 * are matched by grouping, not by a join: the planner has too little information to join them
 * efficiently.
 */
const unmatched = (table: IndexTable, value: string): string => `
  WITH x AS (
    SELECT id AS column_id, slot, indexed_to,
      coalesce((options ->> 'ignoreCase')::boolean, false) AS ignores_case
    FROM datagrid_columns
    WHERE datagrid_id = $1 AND id = $2 AND ${kept(table)}
  ), unmatched AS (
    SELECT row_id, is_empty, value, bool_or(is_needed) AS is_needed, sum(stored) > 0 AS is_stored
    FROM (
      SELECT r.id AS row_id, ${isEmpty('r."values"')} AS is_empty, ${value} AS value,
        x.indexed_to = -1 OR r.id <= x.indexed_to AS is_needed, 1 AS held, 0 AS stored
      FROM rows r CROSS JOIN x WHERE r.datagrid_id = $1
      UNION ALL
      SELECT e.row_id, e.is_empty, e.value, false, 0, 1
      FROM ${table} e CROSS JOIN x WHERE e.datagrid_id = $1 AND e.column_id = x.column_id
    ) entries
    GROUP BY row_id, is_empty, value
    HAVING sum(held) <> sum(stored)
  )`;

/**
 * Common table expressions that compute `left_over`: columns that have entries but no index. They
 * are found by stepping from one column id to the next. Columns whose entries are already scheduled
 * for cleanup are excluded.
 */
const left = (table: IndexTable): string => `
  WITH RECURSIVE known AS (
    (SELECT column_id FROM ${table} WHERE datagrid_id = $1 ORDER BY column_id LIMIT 1)
    UNION ALL
    SELECT (
      SELECT e.column_id FROM ${table} e
      WHERE e.datagrid_id = $1 AND e.column_id > known.column_id ORDER BY e.column_id LIMIT 1
    )
    FROM known WHERE known.column_id IS NOT NULL
  ), left_over AS (
    SELECT column_id FROM known
    WHERE column_id IS NOT NULL AND EXISTS (SELECT FROM datagrids WHERE id = $1)
      AND NOT EXISTS (
        SELECT FROM datagrid_columns
        WHERE datagrid_id = $1 AND id = known.column_id
          AND (entries_left_at IS NOT NULL OR (${kept(table)}))
      )
  )`;

const INDEX_STATEMENTS: readonly IndexStatements[] = INDEX_KINDS.map(({ table, value }) => {
  const compared = unmatched(table, value('r."values"'));
  return {
    table,
    find: {
      name: `verify-${table}-find`,
      text: `
        ${compared}
        SELECT kind, $2::int AS "columnId", k.key AS column, count(*) AS entries,
          min(row_id) AS "firstRowId"
        FROM (
          SELECT row_id, CASE WHEN NOT bool_or(is_stored) THEN 'index_missing'
            WHEN bool_and(is_stored) THEN 'index_stale' ELSE 'index_wrong' END AS kind
          FROM unmatched GROUP BY row_id HAVING bool_or(is_stored OR is_needed)
        ) w
        LEFT JOIN datagrid_columns k ON k.datagrid_id = $1 AND k.id = $2
        GROUP BY kind, k.key ORDER BY kind`,
    },
    repair: {
      name: `verify-${table}-repair`,
      text: `
        ${compared}, removed AS (
          DELETE FROM ${table} e USING unmatched u
          WHERE e.datagrid_id = $1 AND e.column_id = $2 AND u.is_stored
            AND e.is_empty = u.is_empty AND e.value = u.value AND e.row_id = u.row_id
        )
        INSERT INTO ${table} (datagrid_id, column_id, is_empty, value, row_id)
        SELECT $1, $2, is_empty, value, row_id FROM unmatched WHERE is_needed`,
    },
    findLeft: {
      name: `verify-${table}-find-left`,
      text: `
        ${left(table)}
        SELECT 'index_stale' AS kind, l.column_id AS "columnId", max(k.key) AS column,
          count(*) AS entries, min(e.row_id) AS "firstRowId"
        FROM left_over l
        JOIN ${table} e ON e.datagrid_id = $1 AND e.column_id = l.column_id
        LEFT JOIN datagrid_columns k ON k.datagrid_id = $1 AND k.id = l.column_id
        GROUP BY l.column_id ORDER BY l.column_id`,
    },
    removeLeft: {
      name: `verify-${table}-remove-left`,
      text: `
        ${left(table)}
        DELETE FROM ${table} e USING left_over l
        WHERE e.datagrid_id = $1 AND e.column_id = l.column_id`,
    },
  };
});
