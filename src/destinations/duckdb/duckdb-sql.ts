import type { DeletionMode, TargetColumn, TargetType } from '../destination';

/**
 * Types of DuckDB. Decimals are text: a value has up to 38 digits, of which up to 18 follow the point,
 * in any mix. A DECIMAL of DuckDB has at most 38 digits with a fixed number after the point, so none
 * holds both 38 digits before the point and 18 after it, and a DOUBLE rounds. Readers cast them to the
 * scale that they need: `CAST(price AS DECIMAL(18, 2))`.
 */
export const TYPES: Readonly<Record<TargetType, string>> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  double: 'DOUBLE',
  decimal: 'VARCHAR',
  boolean: 'BOOLEAN',
  date: 'DATE',
  timestamp: 'TIMESTAMP WITH TIME ZONE',
  json: 'JSON',
};

/** Types of the columns that a sync adds. The last two are those of `mark` and of `history`. */
export const SYSTEM_TYPES = {
  _id: 'BIGINT',
  _revision: 'BIGINT',
  _synced_at: TYPES.timestamp,
  _deleted_at: TYPES.timestamp,
  _valid_to: TYPES.timestamp,
} as const;

/** Returns the type of a column, as the catalog of DuckDB names it. */
export function typeOf(column: TargetColumn): string {
  return TYPES[column.type];
}

/** Quotes a name. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Quotes a text. DuckDB knows no escapes in it. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A file of lines, and the longest line that the reader must take. */
export interface CsvFile {
  readonly path: string;
  readonly maxLineBytes: number;
}

/** Lines of a load or a replaced range, or changes, which have `_deleted` before the values. */
export type LineKind = 'rows' | 'changes';

/** Reads a file of the CSV lines of a sync, as `readTypedCsvSql` does. */
export function readCsvSql(
  file: CsvFile,
  columns: readonly TargetColumn[],
  kind: LineKind,
): string {
  const { _id, _revision } = SYSTEM_TYPES;
  const system = kind === 'rows' ? [_id, _revision] : [_id, _revision, 'BOOLEAN'];
  return readTypedCsvSql(file, [...system, ...columns.map(typeOf)]);
}

/**
 * Reads a file of CSV lines. The columns of the result are named by position, `c0` and up: a column of
 * a datagrid can have any name. One thread reads the file: with several, DuckDB guesses where lines
 * begin, and takes lines inside of a long quoted text for rows.
 * @param types Type of each column.
 */
export function readTypedCsvSql({ path, maxLineBytes }: CsvFile, types: readonly string[]): string {
  const struct = types.map((type, index) => `c${String(index)}: ${literal(type)}`).join(', ');
  return `read_csv(${literal(path)}, columns = {${struct}},
    auto_detect = false, header = false, delim = ',', quote = '"', escape = '"', comment = '',
    new_line = '\\n', nullstr = '\\N', allow_quoted_nulls = false, strict_mode = true,
    null_padding = false, ignore_errors = false, parallel = false,
    max_line_size = ${String(maxLineBytes)}, buffer_size = ${String(2 * maxLineBytes)})`;
}

/** Returns the names that `readCsvSql` gives to the id, the revision and the values. */
export function csvNames(columns: readonly TargetColumn[], kind: LineKind): string {
  const first = kind === 'rows' ? 2 : 3;
  return ['c0', 'c1', ...columns.map((_, index) => `c${String(first + index)}`)].join(', ');
}

/** Returns the names of the id, the revision and the values in a target table. */
export function targetNames(columns: readonly TargetColumn[]): string {
  return ['_id', '_revision', ...columns.map(({ name }) => quoted(name))].join(', ');
}

/** Names of the columns that a mode of deletions adds to a target table. */
export const MODE_COLUMNS: Readonly<
  Record<DeletionMode, readonly ('_deleted_at' | '_valid_to')[]>
> = { delete: [], mark: ['_deleted_at'], history: ['_valid_to'] };

/** Returns the definitions of the columns of a target table. */
export function definitionsSql(columns: readonly TargetColumn[], mode: DeletionMode): string {
  return [
    `_id ${SYSTEM_TYPES._id} NOT NULL`,
    `_revision ${SYSTEM_TYPES._revision} NOT NULL`,
    ...columns.map((column) => `${quoted(column.name)} ${typeOf(column)}`),
    `_synced_at ${SYSTEM_TYPES._synced_at}`,
    ...MODE_COLUMNS[mode].map((name) => `${name} ${SYSTEM_TYPES[name]}`),
  ].join(', ');
}

/** Returns whether a cast alone converts values of a type to those of a column. */
export function isCast(from: string, to: TargetColumn): boolean {
  return from === typeOf(to) || convertedSql('v', from, to) === `CAST(v AS ${typeOf(to)})`;
}

/**
 * Converts a value to a wider type, with the text that a load would write.
 * @param from Type of the value, as the catalog of DuckDB names it.
 */
export function convertedSql(value: string, from: string, to: TargetColumn): string {
  const target = typeOf(to);
  if (from === target) return value;
  if (target === 'VARCHAR') {
    if (from === TYPES.timestamp) return `strftime(${value}, '%Y-%m-%dT%H:%M:%S.%gZ')`;
    if (from === TYPES.double) return `regexp_replace(CAST(${value} AS VARCHAR), '\\.0$', '')`;
  }
  if (to.type === 'json') {
    return `CASE WHEN ${value} IS NULL THEN NULL ELSE to_json(${value}) END`;
  }
  return `CAST(${value} AS ${target})`;
}

/** The column of a former table `t` that has the values of a column, if there is one. */
export interface FormerColumn {
  readonly column: TargetColumn;
  /** Whether the former table has the same type. */
  readonly isSame: boolean;
  /** The value, in the type of the column. Values that do not fit are missing. */
  readonly value: string;
}

/** @param types Types of the columns that the former table has. */
export function formerColumns(
  columns: readonly TargetColumn[],
  former: readonly TargetColumn[],
  types: ReadonlyMap<string, string>,
): FormerColumn[] {
  return columns.map((column) => {
    const old = former.find(({ id }) => id === column.id);
    const from = old && types.get(old.name);
    if (old === undefined || from === undefined) {
      return { column, isSame: false, value: 'NULL' };
    }
    const value = `t.${quoted(old.name)}`;
    if (from === typeOf(column)) return { column, isSame: true, value };
    const text = convertedSql(value, from, { ...column, type: 'text' });
    const tried = `TRY_CAST(${text} AS ${typeOf(column)})`;
    return { column, isSame: false, value: tried };
  });
}

/** Types that are printed as JSON, by their names in `DuckDBTypeId`. */
export const NESTED_TYPES: readonly string[] = ['LIST', 'ARRAY', 'STRUCT', 'MAP', 'UNION'];

/** Message of the error of a value that is too long. */
export const TOO_LONG = 'The value of a result is too long.';

/** Begins each printed value, because the driver drops a byte order mark at the beginning of a text. */
export const PRINTED_PREFIX = '=';

/**
 * Returns a query whose values are those of another one, in the form of a `ResultRow` after
 * `PRINTED_PREFIX`.
 * @param query One statement that returns rows.
 * @param types Types of its columns, by their names in `DuckDBTypeId`.
 * @param maxBytes Maximum length of a value. The query fails with `TOO_LONG` if there is a longer one:
 *   the process cannot hold a text of any length.
 */
export function printedSql(query: string, types: readonly string[], maxBytes: number): string {
  const names = types.map((_, index) => `c${String(index)}`);
  const texts = types.map(
    (type, index) => `${printedValue(`c${String(index)}`, type)} AS t${String(index)}`,
  );
  const values = types.map((_, index) => {
    const text = `t${String(index)}`;
    // Without a part of the value, DuckDB computes the error when it plans the query.
    const failed = `error(${literal(TOO_LONG)} || left(${text}, 0))`;
    return `CASE WHEN strlen(${text}) > ${String(maxBytes)} THEN ${failed} ELSE '${PRINTED_PREFIX}' || ${text} END`;
  });
  return `SELECT ${values.join(', ')} FROM (
    SELECT ${texts.join(', ')} FROM (${query}\n) AS q(${names.join(', ')})
  )`;
}

/** Returns the SQL of a value in the form of a `ResultRow`. */
function printedValue(name: string, type: string): string {
  const text = `CAST(${name} AS VARCHAR)`;
  if (NESTED_TYPES.includes(type)) {
    return `CASE WHEN ${name} IS NOT NULL THEN CAST(to_json(${name}) AS VARCHAR) END`;
  }
  if (!type.startsWith('TIMESTAMP')) return text;
  const [date, time] = [literal(String.raw`^(\d{4}-\d\d-\d\d) `), literal(String.raw`\1T`)];
  const iso = `regexp_replace(${text}, ${date}, ${time})`;
  // The time zone of the session is UTC. `infinity` has no offset.
  return type === 'TIMESTAMP_TZ' ? `regexp_replace(${iso}, '\\+00$', 'Z')` : iso;
}
