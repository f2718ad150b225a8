import type { TargetColumn, TargetType } from '../destination';

const SIMPLE = /^[a-z_][a-z0-9_]*$/i;

/**
 * Returns the name of an object or a column. Snowflake reads names without quotes in upper case, so
 * that simple names are in upper case: they can then be written without quotes, in any case.
 */
export const nameOf = (name: string): string => (SIMPLE.test(name) ? name.toUpperCase() : name);

/** Quotes a name. */
export const quoted = (name: string): string => `"${nameOf(name).replaceAll('"', '""')}"`;

/** Quotes a text. */
export const literal = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;

/** Returns SQL of a time of a server, in milliseconds since 1970. */
export const timeSql = (ms: number): string =>
  `'${new Date(ms).toISOString().replace(/Z$/, '+00:00')}'::TIMESTAMP_TZ(3)`;

/** Types of columns by target type. */
export const DATA_TYPES: Readonly<Record<TargetType, string>> = {
  text: 'VARCHAR',
  integer: 'NUMBER(19, 0)',
  double: 'DOUBLE',
  // NUMBER has up to 38 digits, but only one number of them after the point.
  decimal: 'VARCHAR',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP_TZ(3)',
  // VARIANT rounds large numbers and sorts keys.
  json: 'VARCHAR',
};

/** Returns definitions of columns, each after a comma. */
export const definitionsSql = (columns: readonly TargetColumn[]): string =>
  columns.map(({ name, type }) => `, ${quoted(name)} ${DATA_TYPES[type]}`).join('');

/** Returns the names of columns, each after a comma. */
export const namesSql = (columns: readonly TargetColumn[], prefix = ''): string =>
  columns.map(({ name }) => `, ${prefix}${quoted(name)}`).join('');

/** Returns SQL that reads a value of a type from an element of a JSON list of texts. */
export function elementSql(index: number, type: TargetType): string {
  const text = `f.VALUE[${String(index)}]::VARCHAR`;
  return DATA_TYPES[type] === 'VARCHAR' ? text : `${text}::${DATA_TYPES[type]}`;
}

/**
 * Returns SQL that converts a value of a column to that of a column of another type; `NULL` if that
 * may fail.
 */
export function convertedSql(value: string, from: TargetType, to: TargetType): string {
  if (DATA_TYPES[from] === DATA_TYPES[to]) return value;
  if (from === 'integer' && to === 'double') return `${value}::DOUBLE`;
  if (to !== 'text' && to !== 'decimal' && to !== 'json') return 'NULL';
  if (from !== 'timestamp') return `TO_VARCHAR(${value})`;
  const time = `CONVERT_TIMEZONE('UTC', ${value})`;
  return `TO_VARCHAR(${time}, 'YYYY-MM-DD') || 'T' || TO_VARCHAR(${time}, 'HH24:MI:SS.FF3') || 'Z'`;
}
