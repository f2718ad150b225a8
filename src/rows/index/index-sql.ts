import { valueClass } from '../../datagrids/column-type/value-class';
import type { ColumnType } from '../../datagrids/column-type/column-type';
import { decompressed, eachColumn, isAny } from '../storage/each-column-sql';

/** Longer values are cut in the index: an entry may hold no more than 2,700 bytes. */
export const MAX_INDEXED_CHARACTERS = 600;

interface IndexedColumns {
  readonly indexed: readonly {
    readonly id: number;
    readonly slot: string;
    readonly type: ColumnType;
  }[];
}

/** The two tables of index entries, and how a value stands in each. */
export const INDEX_KINDS = [
  {
    table: 'text_index_entries',
    /** The entry of the jsonb `values` for a column `x`. */
    value: (values: string) =>
      `left(coalesce(${values} ->> x.slot, ''), ${String(MAX_INDEXED_CHARACTERS)}) COLLATE "C"`,
  },
  {
    table: 'number_index_entries',
    value: (values: string) => `coalesce((${values} ->> x.slot)::numeric, 0)`,
  },
] as const;

export type IndexTable = (typeof INDEX_KINDS)[number]['table'];

/** The table that holds the entries of columns of a type. */
export function indexTable(type: ColumnType): IndexTable {
  return valueClass(type) === 'number' ? 'number_index_entries' : 'text_index_entries';
}

/** The values of four parameters: ids and slots of the columns of text, then of those of numbers. */
export function indexedColumnValues({ indexed }: IndexedColumns): unknown[] {
  return INDEX_KINDS.flatMap(({ table }) => {
    const columns = indexed.filter(({ type }) => indexTable(type) === table);
    return [columns.map(({ id }) => id), columns.map(({ slot }) => slot)];
  });
}

const columnsAt = (parameter: number): string =>
  `unnest($${String(parameter)}::int[], $${String(parameter + 1)}::text[]) AS x(column_id, slot)`;

/** Whether the jsonb `values` has no value in a column `x`. */
export const isEmpty = (values: string): string => `NOT (${values} ? x.slot)`;

/** A FROM item that gives the entries `e` of a kind for each row `r` of `source` (`id`, `values`). */
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
 * Common table expressions that enter the rows of `source` (`id`, `values`) into the indexes, with
 * the columns in four parameters that start at `$first`.
 */
export const enterRows = (source: string, first: number): string =>
  INDEX_KINDS.map(
    (kind, n) => `entered_${String(n)} AS (
      INSERT INTO ${kind.table} (datagrid_id, column_id, is_empty, value, row_id)
      SELECT $1, e.column_id, e.is_empty, e.value, r.id
      FROM ${entriesOf(kind, source, first + n * 2)}
      ON CONFLICT DO NOTHING
    )`,
  ).join(', ');

/**
 * Deletes the entries of `kind` that `given` names, each found by its key: a plan that joined
 * would be free to read all of the datagrid's entries. Needs the datagrid's lock.
 */
const removeEntries = (table: string, given: string): string => `
  DELETE FROM ${table}
  WHERE datagrid_id = $1 AND ctid = ANY(ARRAY(
    SELECT (
      SELECT e.ctid FROM ${table} e
      WHERE e.datagrid_id = $1 AND e.column_id = g.column_id AND e.is_empty = g.is_empty
        AND e.value = g.value AND e.row_id = g.id
    )
    FROM (${given}) g
  ))`;

/** The same for the rows of `source` that are gone: takes their entries out. */
export const removeRows = (source: string, first: number): string =>
  INDEX_KINDS.map((kind, n) => {
    const given = `
      SELECT r.id, e.column_id, e.is_empty, e.value
      FROM ${entriesOf(kind, source, first + n * 2)}`;
    return `removed_${String(n)} AS (${removeEntries(kind.table, given)})`;
  }).join(', ');

/**
 * The same for rows that have changed, with `old_values` beside `values`: what stays as it is is
 * not touched, for an entry cannot go and come in one statement.
 */
export const moveRows = (source: string, first: number): string =>
  INDEX_KINDS.map(({ table, value }, n) => {
    const [now, old] = ['r."values"', 'r.old_values'];
    const parameter = first + n * 2;
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
    )}), entered_${String(n)} AS (
      INSERT INTO ${table} (datagrid_id, column_id, is_empty, value, row_id)
      SELECT $1, column_id, new_is_empty, new_value, id FROM moved_${String(n)}
      ON CONFLICT DO NOTHING
    )`;
  }).join(', ');
