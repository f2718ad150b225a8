import type { DeletionMode, IdRange, TargetColumn, TargetType } from '../destination';
import { literal, MODE_COLUMNS, quoted, SYSTEM_TYPES, typeOf } from '../duckdb/duckdb-sql';

/** Types of Parquet, as readers know them. JSON is text for readers that do not know its own type. */
export const PARQUET_TYPES: Readonly<Record<TargetType, string>> = {
  text: 'STRING',
  integer: 'INT64',
  double: 'DOUBLE',
  decimal: 'STRING',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP',
  json: 'STRING',
};

/** The columns of Parquet files. */
export interface FileLayout {
  readonly columns: readonly TargetColumn[];
  readonly mode: DeletionMode;
  /** Field ids by name, in the form of an object, which can be sent. */
  readonly fieldIds: readonly (readonly [string, number])[];
}

/** Expressions of the columns of a result, and whether a row belongs to it. */
export interface Expressions {
  readonly id: string;
  readonly revision: string;
  readonly values: readonly string[];
  readonly syncedAt: string;
  /** Of `_deleted_at` or `_valid_to`, if the mode has it. */
  readonly end: string;
  readonly condition?: string;
}

/** Lines with the ids of one range. Their values are named by position, as `readCsvSql` does. */
export interface StagedLines {
  readonly columns: readonly TargetColumn[];
  readonly ids: IdRange;
}

export const STAGE = 'temp.main._datagrid_stage';

const PARQUET_JSON = 'JSON';

/** Compresses better than the default, at about the speed of it. */
const COMPRESSION = 'zstd';

/** Returns the types of all columns by name, as DuckDB names them. */
export function layoutTypes({ columns, mode }: FileLayout): ReadonlyMap<string, string> {
  return new Map([
    ['_id', SYSTEM_TYPES._id],
    ['_revision', SYSTEM_TYPES._revision],
    ...columns.map((column): [string, string] => [column.name, typeOf(column)]),
    ['_synced_at', SYSTEM_TYPES._synced_at],
    ...MODE_COLUMNS[mode].map((name): [string, string] => [name, SYSTEM_TYPES[name]]),
  ]);
}

/**
 * Returns the type of a column in a file, by its type in a layout. JSON is written as text: some readers
 * take the type JSON of Parquet for bytes.
 */
const fileTypeOf = (type: string): string => (type === PARQUET_JSON ? 'VARCHAR' : type);

/** Whether a file can have a type for a column of a layout. Those of earlier releases have the type JSON. */
export const isFileType = (type: string | undefined, expected: string | undefined): boolean =>
  expected !== undefined && (type === expected || type === fileTypeOf(expected));

/** Condition that is true for the rows that the datagrid has. */
export function isPresentSql(mode: DeletionMode): string {
  return MODE_COLUMNS[mode].map((name) => `${name} IS NULL`)[0] ?? 'true';
}

/** Returns a SELECT of the columns of a layout. */
export function selectSql(layout: FileLayout, of: Expressions, source: string): string {
  const { columns, mode } = layout;
  const expressions = [
    [of.id, '_id', SYSTEM_TYPES._id],
    [of.revision, '_revision', SYSTEM_TYPES._revision],
    ...columns.map((column, index) => [of.values[index] ?? 'NULL', column.name, typeOf(column)]),
    [of.syncedAt, '_synced_at', SYSTEM_TYPES._synced_at],
    ...MODE_COLUMNS[mode].map((name) => [of.end, name, SYSTEM_TYPES[name]]),
  ].map(([value = '', name = '', type = '']) => `CAST(${value} AS ${type}) AS ${quoted(name)}`);
  const condition = of.condition === undefined ? '' : `WHERE ${of.condition}`;
  return `SELECT ${expressions.join(', ')} FROM ${source} ${condition}`;
}

/** A load, the files of the table that it replaces, and the ids that count. */
export interface TwoSources {
  readonly loaded: string;
  readonly former: readonly string[];
  readonly from: FileLayout;
  readonly ids: IdRange;
}

export function unionSql(sources: readonly string[]): string {
  return `(${sources.map((source) => `SELECT * FROM ${source}`).join(' UNION ALL ')})`;
}

export function isIn(id: string, { from, to }: IdRange): string {
  return `${id} BETWEEN ${String(from)} AND ${String(to)}`;
}

/** Returns a statement that writes rows to a file in order of their ids, and returns statistics. */
export function copySql(select: string, path: string, layout: FileLayout): string {
  const types = layoutTypes(layout);
  const ids = layout.fieldIds
    .filter(([name]) => types.has(name))
    .map(([name, id]) => `${quoted(name)}: ${String(id)}`);
  const order = ['_id', ...MODE_COLUMNS[layout.mode]].join(', ');
  const texts = [...types]
    .filter(([, type]) => fileTypeOf(type) !== type)
    .map(([name, type]) => `CAST(${quoted(name)} AS ${fileTypeOf(type)}) AS ${quoted(name)}`);
  const values = texts.length === 0 ? '*' : `* REPLACE (${texts.join(', ')})`;
  return `COPY (SELECT ${values} FROM (${select}) ORDER BY ${order}) TO ${literal(path)} (
    FORMAT parquet, COMPRESSION ${COMPRESSION}, FIELD_IDS {${ids.join(', ')}}, RETURN_STATS)`;
}

/** Returns the staged lines with the ids of a range, as a source for FROM. */
export function stagedSql({ ids }: StagedLines): string {
  return `(FROM ${STAGE} WHERE ${isIn('c0', ids)})`;
}

/**
 * Returns the value of each column in the staged lines.
 * @param first Number of columns before the values of a line.
 */
export function lineValues(layout: FileLayout, { columns }: StagedLines, first: number): string[] {
  return layout.columns.map(({ id }) => {
    const index = columns.findIndex((column) => column.id === id);
    return index === -1 ? 'NULL' : `s.c${String(first + index)}`;
  });
}
