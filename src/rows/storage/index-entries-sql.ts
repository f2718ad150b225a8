import {
  type ColumnType,
  ignoresCase,
  isComparedAsNumber,
  type TypeRules,
} from '../../datagrids/column-type/column-type';
import { withoutCase } from './unique-sql';
import { decompressed, eachColumn, isAny } from './row-json-sql';

/** Longer values are truncated in the index, because an entry can hold at most 2,700 bytes. */
export const MAX_INDEXED_CHARACTERS = 600;

interface IndexedColumns {
  readonly indexed: readonly (TypeRules & { readonly id: number; readonly slot: string })[];
}

/** The two tables of index entries, and the SQL of a value in each. */
export const INDEX_KINDS = [
  {
    table: 'text_index_entries',
    /** Returns the SQL of the entry of the jsonb `values` for a column `x`. */
    value: (values: string) => {
      const text = `(${values} ->> x.slot)`;
      const compared = `CASE WHEN x.ignores_case THEN ${withoutCase(text)} ELSE ${text} END`;
      return `left(coalesce(${compared}, ''), ${String(MAX_INDEXED_CHARACTERS)}) COLLATE "C"`;
    },
  },
  {
    table: 'number_index_entries',
    value: (values: string) => `coalesce((${values} ->> x.slot)::numeric, 0)`,
  },
] as const;

export type IndexTable = (typeof INDEX_KINDS)[number]['table'];

/** Returns the table that holds the index entries of columns of a type. */
export function indexTable(type: ColumnType): IndexTable {
  return isComparedAsNumber(type) ? 'number_index_entries' : 'text_index_entries';
}

/**
 * Returns the values of six parameters: for text columns, then for number columns, the ids, the slots and
 * whether the columns ignore case.
 */
export function indexedColumnValues({ indexed }: IndexedColumns): unknown[] {
  return INDEX_KINDS.flatMap(({ table }) => {
    const columns = indexed.filter(({ type }) => indexTable(type) === table);
    return [columns.map(({ id }) => id), columns.map(({ slot }) => slot), columns.map(ignoresCase)];
  });
}

/** Number of parameters with the columns of one kind. */
const PARAMETERS_OF_KIND = 3;

const columnsAt = (parameter: number): string =>
  `unnest($${String(parameter)}::int[], $${String(parameter + 1)}::text[], $${String(parameter + 2)}::boolean[])
    AS x(column_id, slot, ignores_case)`;

/** Returns the condition that the jsonb `values` has no value in a column `x`. */
export const isEmpty = (values: string): string => `NOT (${values} ? x.slot)`;

/** Returns a FROM item: the entries `e` of a kind for each row `r` of `source` (`id`, `values`). */
const entriesOf = (
  { value }: (typeof INDEX_KINDS)[number],
  source: string,
  parameter: number,
): string =>
  eachColumn(
    `SELECT id, ${decompressed('"values"')} AS "values" FROM ${source} WHERE ${isAny(parameter)}`,
    `SELECT x.column_id, ${isEmpty('r."values"')} AS is_empty, ${value('r."values"')} AS value
    FROM ${columnsAt(parameter)}`,
  );

/**
 * Returns common table expressions that add the rows of `source` (`id`, `values`) to the indexes.
 * The columns are in six parameters that start at `$first`.
 * @param sorts Whether entries are inserted in the order of their index. This fills its pages better
 *   if many rows arrive together, and costs more for a few rows.
 */
export const enterRows = (source: string, first: number, sorts: boolean): string =>
  INDEX_KINDS.map(
    (kind, n) => `entered_${String(n)} AS (
      INSERT INTO ${kind.table} (datagrid_id, column_id, is_empty, value, row_id)
      SELECT $1, e.column_id, e.is_empty, e.value, r.id
      FROM ${entriesOf(kind, source, first + n * PARAMETERS_OF_KIND)}
      ${sorts ? 'ORDER BY e.column_id, e.is_empty, e.value, r.id' : ''}
      ON CONFLICT DO NOTHING
    )`,
  ).join(', ');

/**
 * Deletes the entries of `table` that `given` selects. Each is found by its key, because the plan
 * of a join could read all entries of the datagrid. Needs the datagrid's lock. Citus cannot combine
 * `ctid` with the result of another part of the statement, and plans the join for its values.
 */
const removeEntries = (table: string, given: string, isDistributed: boolean): string =>
  isDistributed
    ? `
  DELETE FROM ${table} e USING (${given}) g
  WHERE e.datagrid_id = $1 AND e.column_id = g.column_id AND e.is_empty = g.is_empty
    AND e.value = g.value AND e.row_id = g.id`
    : `
  DELETE FROM ${table}
  WHERE datagrid_id = $1 AND ctid = ANY(ARRAY(
    SELECT (
      SELECT e.ctid FROM ${table} e
      WHERE e.datagrid_id = $1 AND e.column_id = g.column_id AND e.is_empty = g.is_empty
        AND e.value = g.value AND e.row_id = g.id
    )
    FROM (${given}) g
  ))`;

/** Like `enterRows`, for deleted rows: removes the entries of the rows of `source`. */
export const removeRows = (source: string, first: number, isDistributed: boolean): string =>
  INDEX_KINDS.map((kind, n) => {
    const given = `
      SELECT r.id, e.column_id, e.is_empty, e.value
      FROM ${entriesOf(kind, source, first + n * PARAMETERS_OF_KIND)}`;
    return `removed_${String(n)} AS (${removeEntries(kind.table, given, isDistributed)})`;
  }).join(', ');

/**
 * Like `enterRows`, for changed rows, with `old_values` in addition to `values`. Unchanged entries
 * are not touched, because one statement cannot delete and insert the same entry.
 */
export const moveRows = (source: string, first: number, isDistributed: boolean): string =>
  INDEX_KINDS.map(({ table, value }, n) => {
    const [now, old] = ['r."values"', 'r.old_values'];
    const parameter = first + n * PARAMETERS_OF_KIND;
    return `moved_${String(n)} AS (
      SELECT r.id, e.*
      FROM ${eachColumn(
        `SELECT id, "values", ${decompressed('old_values')} AS old_values
        FROM ${source} WHERE ${isAny(parameter)}`,
        `SELECT x.column_id, ${isEmpty(old)} AS old_is_empty, ${value(old)} AS old_value,
          ${isEmpty(now)} AS new_is_empty, ${value(now)} AS new_value
        FROM ${columnsAt(parameter)}`,
      )}
      WHERE (e.old_is_empty, e.old_value) IS DISTINCT FROM (e.new_is_empty, e.new_value)
    ), removed_${String(n)} AS (${removeEntries(
      table,
      `SELECT id, column_id, old_is_empty AS is_empty, old_value AS value FROM moved_${String(n)}`,
      isDistributed,
    )}), entered_${String(n)} AS (
      INSERT INTO ${table} (datagrid_id, column_id, is_empty, value, row_id)
      SELECT $1, column_id, new_is_empty, new_value, id FROM moved_${String(n)}
      ON CONFLICT DO NOTHING
    )`;
  }).join(', ');
