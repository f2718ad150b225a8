import { BLOCK_ROWS, DestinationError, type TargetColumn, type TargetType } from '../destination';

/** A column of a target table, and of the table that holds its values. */
export interface StoredColumn extends TargetColumn {
  /** Name in the data table. It is never used twice, whatever happens to the column. */
  readonly stored: string;
}

/**
 * Types of the values. `Decimal(76, 18)` holds all decimals: 38 digits, of which up to 18 are after
 * the point. `Date32` holds only the years 1900 to 2299, so that dates are texts such as
 * `2026-11-21`, which compare in the right order and which `toDate32` reads.
 */
const TYPES: Readonly<Record<TargetType, string>> = {
  text: 'Nullable(String)',
  integer: 'Nullable(Int64)',
  double: 'Nullable(Float64)',
  decimal: 'Nullable(Decimal(76, 18))',
  boolean: 'Nullable(Bool)',
  date: 'Nullable(String)',
  timestamp: "Nullable(DateTime64(3, 'UTC'))",
  json: 'Nullable(String)',
};

export const isTargetType = (value: unknown): value is TargetType =>
  typeof value === 'string' && Object.hasOwn(TYPES, value);

/** Quotes a name. */
export const quoted = (name: string): string => `\`${name.replace(/[\\`]/g, String.raw`\$&`)}\``;

/** Quotes a text. */
export const literal = (text: string): string => `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;

/** Prints an integer of up to 128 bits. */
export const uint128 = (value: bigint): string => `toUInt128('${value.toString()}')`;

/** Columns of a data table beside those of the values. */
const OWN_COLUMNS = `_id Int64, _revision Int64, _version UInt128, _deleted UInt8,
  _deleted_at Nullable(DateTime64(3, 'UTC')), _synced_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')`;

/** Bits of the parts of `_version`, of which the first one has the other 16. */
const VERSION_BITS = { revision: 54n, token: 34n, step: 24n } as const;
const STEP_BITS = VERSION_BITS.token + VERSION_BITS.step;
export const MAX_EPOCH = (1 << 16) - 1;

/** What orders the versions of a row. */
export interface VersionOrder {
  readonly epoch: number;
  readonly token: number;
  readonly step: number;
}

/** Returns the version of a row, in order of epoch, revision, token and step. */
export function versionSql({ epoch, token, step }: VersionOrder, revision: string): string {
  const rest = (BigInt(epoch) << (VERSION_BITS.revision + STEP_BITS)) + placeOf(token, step);
  return `toUInt128(${revision}) * ${uint128(1n << STEP_BITS)} + ${uint128(rest)}`;
}

function placeOf(token: number, step: number): bigint {
  if (BigInt(token) >> VERSION_BITS.token > 0n || BigInt(step) >> VERSION_BITS.step > 0n) {
    throw new RangeError('The token or the step is too large.');
  }
  return (BigInt(token) << VERSION_BITS.step) + BigInt(step);
}

/** Creates a table of versions of rows, of which ClickHouse keeps the highest one. */
export function createDataSql(table: string, columns: readonly StoredColumn[]): string {
  return `CREATE TABLE ${table} (${OWN_COLUMNS}${definitions(columns)})
    ENGINE = ReplacingMergeTree(_version, _deleted) ORDER BY _id`;
}

/** Creates a table for the lines of one step. */
export function createStageSql(table: string, columns: readonly StoredColumn[]): string {
  return `CREATE TABLE ${table}
    (_id Int64, _revision Int64, _deleted UInt8${definitions(columns)})
    ENGINE = MergeTree ORDER BY _id`;
}

function definitions(columns: readonly StoredColumn[]): string {
  return columns.map(({ stored, type }) => `, ${stored} ${TYPES[type]}`).join('');
}

export const storedNames = (columns: readonly StoredColumn[], prefix = ''): string =>
  columns.map(({ stored }) => `, ${prefix}${stored}`).join('');

export const addColumnSql = ({ stored, type }: StoredColumn): string =>
  `ADD COLUMN IF NOT EXISTS ${stored} ${TYPES[type]}`;

/** Prints the values of a column in a wider type. */
export function widenedSql(from: StoredColumn, to: TargetType): string {
  const { stored, type } = from;
  if (to === 'double') return `toFloat64(${stored})`;
  // The text that a sync would write.
  if (type === 'timestamp') {
    return `concat(replaceOne(toString(${stored}), ' ', 'T'), 'Z')`;
  }
  return `toString(${stored})`;
}

/** Readers of CSV. `isChange` if lines say whether the row is deleted. */
export function inputSql(columns: readonly TargetColumn[], isChange: boolean): string {
  const own = ['_id Int64', '_revision Int64', ...(isChange ? ['_deleted Bool'] : [])];
  const values = columns.map(({ type }, index) => `v${String(index)} ${inputType(type)}`);
  return `input(${literal([...own, ...values].join(', '))})`;
}

/** Times are read as texts, and checked. */
const inputType = (type: TargetType): string => (type === 'timestamp' ? TYPES.text : TYPES[type]);

/** Values of a line, in order of the columns. */
export function valuesSql(columns: readonly TargetColumn[]): string {
  return columns
    .map(({ type }, index) => {
      const value = `v${String(index)}`;
      return type === 'timestamp' ? `, ${timeSql(value)}` : `, ${value}`;
    })
    .join('');
}

/** Marks of exceptions that statements throw by themselves. */
export const THROWN = {
  fenced: 'datagrid: fenced',
  missing: 'datagrid: missing',
  time: 'datagrid: time',
};

/** Reads a time. Versions that store only the years 1900 to 2299 would change other times. */
function timeSql(value: string): string {
  const time = `parseDateTime64BestEffortOrNull(${value}, 3, 'UTC')`;
  const isChanged = `isNotNull(${value}) AND ifNull(replaceOne(toString(${time}), ' ', 'T') != left(${value}, 23), 1)`;
  return `if(throwIf(${isChanged}, ${literal(THROWN.time)}) = 0, ${time}, NULL)`;
}

export const blockSql = `intDiv(_id, ${String(BLOCK_ROWS)})`;

/** The tables and columns of a step whose lines are in a table of their own. */
export interface StagedTables {
  readonly data: string;
  readonly stage: string;
  /** Columns of the data table that the stage has. */
  readonly given: readonly StoredColumn[];
  readonly all: readonly StoredColumn[];
}

/** Prints the version of a row with a revision. */
export type VersionPrinter = (revision: string) => string;

/**
 * Applies changes in mode `mark`. A deleted row keeps its values. One that was never there is stored
 * as deleted, without a mark.
 */
export function mergeMarksSql(
  { data, stage, given, all }: StagedTables,
  version: VersionPrinter,
  condition: string,
): string {
  const values = all.map((column) => {
    const { stored } = column;
    return `, if(s._deleted = 1, t.${stored}, ${given.includes(column) ? `s.${stored}` : 'NULL'})`;
  });
  return `
    INSERT INTO ${data} (_id, _revision, _version, _deleted, _deleted_at${storedNames(all)})
    SELECT s._id, s._revision, ${version('s._revision')}, s._deleted = 1 AND isNull(t._id),
      if(s._deleted = 1 AND isNotNull(t._id), ifNull(t._deleted_at, now64(3, 'UTC')), NULL)
      ${values.join('')}
    FROM ${stage} AS s LEFT JOIN (
      SELECT _id, _deleted_at${storedNames(all)} FROM ${data} FINAL
      WHERE _id IN (SELECT _id FROM ${stage} WHERE _deleted = 1)
    ) AS t ON t._id = s._id
    WHERE ${condition}`;
}

/** Replaces the rows of a range, and deletes or marks its other rows. */
export function replaceSql(
  { data, stage, given, all }: StagedTables,
  version: VersionPrinter,
  condition: string,
  isIn: string,
  marks: boolean,
): string {
  const values = all.map((column) => (given.includes(column) ? `, ${column.stored}` : ', NULL'));
  const left = marks
    ? `0, now64(3, 'UTC')${storedNames(all)}`
    : `1, NULL${all.map(() => ', NULL').join('')}`;
  return `
    INSERT INTO ${data} (_id, _revision, _version, _deleted, _deleted_at${storedNames(all)})
    SELECT _id, _revision, ${version('_revision')}, 0, NULL${values.join('')}
    FROM ${stage} WHERE ${condition}
    UNION ALL
    SELECT _id, _revision, ${version('_revision')}, ${left}
    FROM ${data} FINAL
    WHERE ${isIn} AND isNull(_deleted_at) AND _id NOT IN (SELECT _id FROM ${stage})`;
}

/** Matches texts, quoted names, comments and heredocs of ClickHouse. */
const OPAQUE =
  /'(?:[^'\\]|\\.|'')*'|`(?:[^`\\]|\\.|``)*`|"(?:[^"\\]|\\.|"")*"|--[^\n]*|#[! ][^\n]*|\/\*.*?\*\/|\$(\w*)\$.*?\$\1\$/gs;

/**
 * Puts a query between brackets, where only one statement that returns rows is accepted.
 * @throws DestinationError if a bracket or a semicolon of the query would end it.
 */
export function subquery(text: string): string {
  const rest = text.replaceAll(OPAQUE, ' ');
  let depth = 0;
  for (const character of rest) {
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth < 0) break;
  }
  if (depth !== 0 || /[;'`"]|\/\*/.test(rest)) {
    const message = 'The query must be one SELECT statement. Correct it.';
    throw new DestinationError('configuration', message);
  }
  return `SELECT * FROM (${text}\n)`;
}
