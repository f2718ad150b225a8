import {
  BLOCK_ROWS,
  type DeletionMode,
  DestinationError,
  type TargetColumn,
  type TargetType,
} from '../destination';

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
export const TYPES: Readonly<Record<TargetType, string>> = {
  text: 'Nullable(String)',
  integer: 'Nullable(Int64)',
  double: 'Nullable(Float64)',
  decimal: 'Nullable(Decimal(76, 18))',
  boolean: 'Nullable(Bool)',
  date: 'Nullable(String)',
  timestamp: "Nullable(DateTime64(3, 'UTC'))",
  json: 'Nullable(String)',
};

/** Quotes a name. */
export const quoted = (name: string): string => `\`${name.replace(/[\\`]/g, String.raw`\$&`)}\``;

/** Quotes a text. */
export const literal = (text: string): string => `'${text.replace(/[\\']/g, String.raw`\$&`)}'`;

/** Prints an integer of up to 128 bits. */
export const uint128 = (value: bigint): string => `toUInt128('${value.toString()}')`;

/** Columns of a data table beside those of the values. */
const OWN_COLUMNS = `_id Int64, _revision Int64, _version UInt128, _deleted UInt8,
  _synced_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')`;

/** Columns that a mode adds, and what makes a row of the table unique. `_first` is where it began. */
const MODES: Readonly<Record<DeletionMode, { readonly columns: string; readonly key: string }>> = {
  delete: { columns: "_deleted_at Nullable(DateTime64(3, 'UTC'))", key: '_id' },
  mark: { columns: "_deleted_at Nullable(DateTime64(3, 'UTC'))", key: '_id' },
  history: {
    columns: "_valid_to Nullable(DateTime64(3, 'UTC')), _first UInt128",
    key: '(_id, _first)',
  },
};

/** Returns a condition that is true for the rows that the datagrid has. */
export const isPresentSql = (mode: DeletionMode): string =>
  mode === 'history' ? 'isNull(_valid_to)' : 'isNull(_deleted_at)';

/** Bits of the parts of `_version`, of which the first one has the other 16. */
const VERSION_BITS = { revision: 54n, token: 34n, step: 24n } as const;
const STEP_BITS = VERSION_BITS.token + VERSION_BITS.step;
const EPOCH_BITS = VERSION_BITS.revision + STEP_BITS;
export const MAX_EPOCH = (1 << 16) - 1;

/** What orders the versions of a row. */
export interface VersionOrder {
  readonly epoch: number;
  readonly token: number;
  readonly step: number;
}

/** Returns the version of a row, in order of epoch, revision, token and step. */
export function versionSql({ epoch, token, step }: VersionOrder, revision: string): string {
  const rest = (BigInt(epoch) << EPOCH_BITS) + placeOf(token, step);
  return `toUInt128(${revision}) * ${uint128(1n << STEP_BITS)} + ${uint128(rest)}`;
}

/** Returns the epoch of a version, as the part of a version that it is. */
export const epochOfSql = (version: string): string =>
  `bitShiftLeft(bitShiftRight(${version}, ${EPOCH_BITS.toString()}), ${EPOCH_BITS.toString()})`;

function placeOf(token: number, step: number): bigint {
  if (BigInt(token) >> VERSION_BITS.token > 0n || BigInt(step) >> VERSION_BITS.step > 0n) {
    throw new RangeError('The token or the step is too large.');
  }
  return (BigInt(token) << VERSION_BITS.step) + BigInt(step);
}

/** Creates a table of versions of rows, of which ClickHouse keeps the highest one. */
export function createDataSql(
  table: string,
  columns: readonly StoredColumn[],
  mode: DeletionMode,
): string {
  return `CREATE TABLE ${table} (${OWN_COLUMNS}, ${MODES[mode].columns}${definitions(columns)})
    ENGINE = ReplacingMergeTree(_version, _deleted) ORDER BY ${MODES[mode].key}`;
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

/** Columns of a former table and of a load that have the same values. */
export interface CommonColumn {
  readonly from: StoredColumn;
  readonly to: StoredColumn;
}

/** Returns the columns of a load that a former table has with the same type. */
export function commonColumns(
  columns: readonly StoredColumn[],
  former: readonly StoredColumn[],
): CommonColumn[] {
  return columns.flatMap((to) => {
    const from = former.find(({ id, type }) => id === to.id && type === to.type);
    return from ? [{ from, to }] : [];
  });
}

/** A former table and a load that takes over rows of it, and a condition for the ids of one step. */
export interface CarriedTables {
  /** The former data table. */
  readonly data: string;
  /** The load, and its columns. */
  readonly load: string;
  readonly columns: readonly StoredColumn[];
  /** Columns that both have. */
  readonly common: readonly CommonColumn[];
  readonly isIn: string;
}

/**
 * Matches texts, quoted names, comments and heredocs of ClickHouse. One without an end is `open`, and
 * matches all that follows: so the time is linear.
 */
const OPAQUE =
  /'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`|"(?:[^"\\]|\\.)*"|--[^\n]*|#[! ][^\n]*|\/\*.*?\*\/|\$(\w*)\$.*?\$\1\$|(?<open>['`"]|\/\*).*/gs;

/**
 * Puts a query between brackets, where only one statement that returns rows is accepted.
 * @throws DestinationError if a bracket or a semicolon of the query would end it.
 */
export function subquery(text: string): string {
  const rest = [...text.matchAll(OPAQUE)].some(({ groups }) => groups?.['open'] !== undefined)
    ? ';'
    : text.replaceAll(OPAQUE, ' ');
  let depth = 0;
  for (const character of rest) {
    if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth < 0) break;
  }
  if (depth !== 0 || rest.includes(';')) {
    const message = 'The query must be one SELECT statement. Correct it.';
    throw new DestinationError('configuration', message);
  }
  return `SELECT * FROM (${text}\n)`;
}
