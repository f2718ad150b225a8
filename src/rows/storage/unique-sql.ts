import { COLUMN_TYPES, ignoresCase, type TypeRules } from '../../datagrids/column-type/column-type';
import { eachColumn } from './row-json-sql';

interface UniqueColumns {
  readonly unique: readonly (TypeRules & { readonly id: number; readonly slot: string })[];
}

/**
 * Returns text in lower case, for any language, even if the locale of the database is C. A sigma at the
 * end of a word becomes the ordinary one, so that parts of a text are equal to the same parts of others.
 */
export const withoutCase = (text: string): string =>
  `replace(lower(${text} COLLATE "und-x-icu"), 'ς', 'σ')`;

/**
 * Returns SQL for the unique columns as a table `u`, from three parameters that start at `$first`.
 */
export const uniqueColumns = (first: number): string =>
  `unnest($${String(first)}::int[], $${String(first + 1)}::text[], $${String(first + 2)}::text[])
    AS u(column_id, slot, compared_as)`;

/** Returns the values of the parameters of `uniqueColumns`. */
export function uniqueColumnValues({ unique }: UniqueColumns): unknown[] {
  return [unique.map(({ id }) => id), unique.map(({ slot }) => slot), unique.map(comparedAs)];
}

/** Returns the form in which unique values of a column are compared. */
export function comparedAs(column: TypeRules): 'stored' | 'decimal' | 'withoutCase' {
  if (COLUMN_TYPES[column.type].isDecimalText) return 'decimal';
  return ignoresCase(column) ? 'withoutCase' : 'stored';
}

/**
 * Returns SQL for the hash of a unique column's value in the jsonb `values`; NULL if there is no
 * value. Decimals are compared as numbers (1.5 equals 1.50), and texts without their case if the column
 * ignores it. Otherwise the stored form is canonical.
 */
export const uniqueHash = (values: string): string =>
  hashSql(`(${values} ->> u.slot)`, 'u.compared_as');

/**
 * The same for a value as text. Citus sends `CASE form WHEN …` to workers as SQL that PostgreSQL rejects.
 * @param form SQL of `comparedAs`.
 */
export const hashSql = (text: string, form: string): string => `
  substring(sha256(convert_to(
    CASE WHEN ${form} = 'decimal' THEN trim_scale(${text}::numeric)::text
      WHEN ${form} = 'withoutCase' THEN ${withoutCase(text)} ELSE ${text} END,
    'UTF8')) FROM 1 FOR 16)`;

/**
 * Returns a FROM item `e` (`column_id`, `hash`) with the hashes of each row's values in unique
 * columns.
 * @param rows A SELECT of the rows with decompressed `values`; visible to the outer query as `r`.
 */
export const uniqueHashes = (rows: string, first: number): string =>
  eachColumn(
    rows,
    `SELECT u.column_id, ${uniqueHash('r."values"')} AS hash
    FROM ${uniqueColumns(first)} WHERE r."values" ? u.slot`,
  );

/**
 * Returns SQL that deletes the unique values that `given`, a SELECT of `column_id` and `hash`,
 * selects. Each is looked up by its key: with a join, the planner may choose to read all of the
 * datagrid's entries. Requires the datagrid's lock, under which no entry moves. Citus cannot combine
 * `ctid` with the result of another part of the statement, and plans the join for its values.
 */
export const releaseUnique = (given: string, isDistributed: boolean): string =>
  isDistributed
    ? `
  DELETE FROM unique_values v USING (${given}) g
  WHERE v.datagrid_id = $1 AND v.column_id = g.column_id AND v.value_hash = g.hash`
    : `
  DELETE FROM unique_values
  WHERE datagrid_id = $1 AND ctid = ANY(ARRAY(
    SELECT (
      SELECT v.ctid FROM unique_values v
      WHERE v.datagrid_id = $1 AND v.column_id = g.column_id AND v.value_hash = g.hash
    )
    FROM (${given}) g
  ))`;
