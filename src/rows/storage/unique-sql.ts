import { needsCanonicalForm, type ColumnType } from '../../datagrids/column-type/column-type';
import { eachColumn } from './each-column-sql';

interface UniqueColumns {
  readonly unique: readonly {
    readonly id: number;
    readonly slot: string;
    readonly type: ColumnType;
  }[];
}

/** The unique columns as a table `u`, from three parameters that start at `$first`. */
export const uniqueColumns = (first: number): string =>
  `unnest($${String(first)}::int[], $${String(first + 1)}::text[], $${String(first + 2)}::boolean[])
    AS u(column_id, slot, is_decimal)`;

/** The values of those parameters. */
export function uniqueColumnValues({ unique }: UniqueColumns): unknown[] {
  return [
    unique.map(({ id }) => id),
    unique.map(({ slot }) => slot),
    unique.map(({ type }) => needsCanonicalForm(type)),
  ];
}

/**
 * The hash that stands for a unique column's value in the jsonb `values`; NULL for no value.
 * Decimals are equal as numbers (1.5 is 1.50); every other type's stored form is canonical.
 */
export const uniqueHash = (values: string): string => `
  substring(sha256(convert_to(
    CASE WHEN u.is_decimal THEN trim_scale((${values} ->> u.slot)::numeric)::text
      ELSE ${values} ->> u.slot END, 'UTF8')) FROM 1 FOR 16)`;

/**
 * A FROM item that gives the values of each row in unique columns, as `e` (`column_id`, `hash`).
 * @param rows A SELECT of the rows, with their `values` decompressed, known as `r` outside.
 */
export const uniqueHashes = (rows: string, first: number): string =>
  eachColumn(
    rows,
    `SELECT u.column_id, ${uniqueHash('r."values"')} AS hash
    FROM ${uniqueColumns(first)} WHERE r."values" ? u.slot`,
  );

/**
 * Deletes the entries that `given`, a SELECT of column_id and hash, names, each found by its key: a
 * plan that joined would be free to read all of the datagrid's entries for each of them. Needs the
 * datagrid's lock, under which no entry moves.
 */
export const releaseUnique = (given: string): string => `
  DELETE FROM unique_values
  WHERE datagrid_id = $1 AND ctid = ANY(ARRAY(
    SELECT (
      SELECT v.ctid FROM unique_values v
      WHERE v.datagrid_id = $1 AND v.column_id = g.column_id AND v.value_hash = g.hash
    )
    FROM (${given}) g
  ))`;
