import { ATTACHED } from '../destinations/duckdb/duckdb-program';
import { type CsvFile, literal, readTypedCsvSql } from '../destinations/duckdb/duckdb-sql';
import type { ColumnarSession } from './columnar-database';
import {
  type CopyColumn,
  type CopyTable,
  decimalSql,
  type FittedDecimal,
  foldedName,
  scaleName,
  valueName,
} from './copy-table';

const MAX_DIGITS = 38;
const NARROW_DIGITS = 18;
/** Columns of the lines before the values, by position. */
const LINE_HEAD = ['BIGINT', 'BOOLEAN', 'BIGINT', 'BIGINT', 'BIGINT'];

/** Types of the values in the lines. */
const LINE_TYPES: Readonly<Record<CopyColumn['kind'], string>> = {
  text: 'VARCHAR',
  integer: 'BIGINT',
  double: 'DOUBLE',
  decimal: 'VARCHAR',
  boolean: 'BOOLEAN',
  date: 'DATE',
  datetime: 'TIMESTAMP',
  texts: 'VARCHAR',
  ids: 'VARCHAR',
  json: 'VARCHAR',
  presence: 'BOOLEAN',
};

const STAGE = 'temp.main.stage';

/** Creates an empty table. */
export async function createTable(session: ColumnarSession, table: CopyTable): Promise<void> {
  const columns = [...table.columns.values()].flatMap(definitionsSql);
  await session.run(
    `CREATE TABLE ${table.name} (
      ${['id BIGINT NOT NULL', 'revision BIGINT NOT NULL', 'created_at TIMESTAMP NOT NULL', 'updated_at TIMESTAMP NOT NULL', ...columns].join(', ')}
    )`,
  );
}

export async function dropTable(session: ColumnarSession, name: string): Promise<void> {
  await session.run(`DROP TABLE IF EXISTS ${name}`);
}

function definitionsSql(column: CopyColumn): string[] {
  const { id, kind, isFolded, decimal } = column;
  const value = `${valueName(id)} ${typeSql(kind, decimal)}`;
  const folded = isFolded ? [`${foldedName(id)} VARCHAR`] : [];
  const scale = kind === 'decimal' ? [`${scaleName(id)} UTINYINT`] : [];
  return [value, ...folded, ...scale];
}

function typeSql(kind: CopyColumn['kind'], decimal: FittedDecimal | null): string {
  if (kind === 'decimal') return decimalSql(decimal ?? { digits: 18, scale: 0 });
  if (kind === 'texts') return 'VARCHAR[]';
  return kind === 'ids' ? 'BIGINT[]' : LINE_TYPES[kind];
}

/**
 * Replaces rows by those of a file, in the transaction of the session if it has one. The types of decimal
 * columns grow with the values.
 * @param isLoad Whether the table has none of these rows.
 * @returns the table with its new column types.
 */
export async function replaceRows(
  session: ColumnarSession,
  table: CopyTable,
  file: CsvFile,
  isLoad: boolean,
): Promise<CopyTable> {
  const columns = [...table.columns.values()];
  await session.run(
    `CREATE OR REPLACE TEMP TABLE stage AS SELECT * FROM ${readSql(file, columns)}`,
  );
  const grown = await fitDecimals(session, columns);
  const alterations = grown.flatMap(({ id, decimal }, index) => {
    const before = columns[index]?.decimal;
    const isSame = decimal?.digits === before?.digits && decimal?.scale === before?.scale;
    if (decimal === null || isSame) return [];
    return [`ALTER TABLE ${table.name} ALTER ${valueName(id)} TYPE ${decimalSql(decimal)}`];
  });
  const remove = `DELETE FROM ${table.name} WHERE id IN (SELECT c0 FROM ${STAGE})`;
  await session.run(
    ...alterations,
    ...(isLoad ? [] : [remove]),
    // It leaves out values of columns that no type holds. Those that are there stay unread.
    insertSql(table.name, grown),
    `DROP TABLE ${STAGE}`,
  );
  return { name: table.name, columns: new Map(grown.map((column) => [column.id, column])) };
}

/** @param file Lines as `copyLinesSql` prints them. */
function readSql(file: CsvFile, columns: readonly CopyColumn[]): string {
  const values = columns.flatMap(({ kind, isFolded }) =>
    isFolded ? [LINE_TYPES[kind], 'VARCHAR'] : [LINE_TYPES[kind]],
  );
  return readTypedCsvSql(file, [...LINE_HEAD, ...values]);
}

/** Returns the name of each column's value in the stage. */
function stageNames(columns: readonly CopyColumn[]): string[] {
  let next = LINE_HEAD.length;
  return columns.map(({ isFolded }) => {
    const name = `c${String(next)}`;
    next += isFolded ? 2 : 1;
    return name;
  });
}

/** Returns the columns, with types that hold the values of the stage, too. */
async function fitDecimals(
  session: ColumnarSession,
  columns: readonly CopyColumn[],
): Promise<readonly CopyColumn[]> {
  const names = stageNames(columns);
  const fitted = columns.filter(({ decimal }) => decimal !== null);
  if (fitted.length === 0) return columns;
  const measures = fitted.flatMap((column) => {
    const name = names[columns.indexOf(column)] ?? '';
    const whole = `strlen(ltrim(split_part(${name}, '.', 1), '-0'))`;
    return [`coalesce(max(${whole}), 0)::VARCHAR`, `coalesce(max(${scaleSql(name)}), 0)::VARCHAR`];
  });
  const [row = []] = await session.select(`SELECT ${measures.join(', ')} FROM ${STAGE}`);
  const byId = new Map(
    fitted.map((column, index) => {
      const [whole, scale] = [row[2 * index], row[2 * index + 1]].map(Number);
      return [column.id, grownType(column.decimal, whole ?? 0, scale ?? 0)] as const;
    }),
  );
  return columns.map((column) => {
    const decimal = byId.get(column.id);
    return decimal === undefined || decimal === column.decimal ? column : { ...column, decimal };
  });
}

/** @returns the same object if it holds the values; `null` if no type does. */
function grownType(
  before: FittedDecimal | null,
  newWhole: number,
  newScale: number,
): FittedDecimal | null {
  if (!before) return null;
  const [whole, scale] = [Math.max(before.whole, newWhole), Math.max(before.scale, newScale)];
  if (whole === before.whole && scale === before.scale) return before;
  if (whole + scale > MAX_DIGITS) return null;
  const digits =
    before.digits === NARROW_DIGITS && whole + scale <= NARROW_DIGITS ? NARROW_DIGITS : MAX_DIGITS;
  return { digits, scale, whole };
}

const scaleSql = (text: string): string => `strlen(split_part(${text}, '.', 2))`;

function insertSql(table: string, columns: readonly CopyColumn[]): string {
  const names = stageNames(columns);
  const pairs = columns.flatMap((column, index): [string, string][] => {
    const { id, isFolded, kind } = column;
    const name = names[index] ?? '';
    const pair: [string, string] = [valueName(id), storedSql(column, name)];
    if (kind === 'decimal') {
      return [pair, [scaleName(id), column.decimal ? scaleSql(name) : 'NULL']];
    }
    if (!isFolded) return [pair];
    const folded = `c${String(Number(name.slice(1)) + 1)}`;
    return [pair, [foldedName(id), `coalesce(${folded}, lower(${name}))`]];
  });
  const targets = [
    'id',
    'revision',
    'created_at',
    'updated_at',
    ...pairs.map(([target]) => target),
  ];
  const values = ['c0', 'c2', 'epoch_ms(c3)', 'epoch_ms(c4)', ...pairs.map(([, value]) => value)];
  return `INSERT INTO ${table} (${targets.join(', ')})
    SELECT ${values.join(', ')} FROM ${STAGE} WHERE NOT c1 ORDER BY c0`;
}

function storedSql({ kind, decimal }: CopyColumn, name: string): string {
  if (kind === 'decimal') return decimal ? `CAST(${name} AS ${decimalSql(decimal)})` : 'NULL';
  if (kind === 'texts' || kind === 'ids') {
    return `CAST(CAST(${name} AS JSON) AS ${typeSql(kind, decimal)})`;
  }
  return name;
}

/** Returns the full name of a table. */
export const tableName = (n: number): string => `${ATTACHED}.main.t${String(n)}`;

/**
 * Writes changes to the file, so that they need no memory, and gives room of dropped tables back. Does
 * nothing while somebody reads a state from before a table was created, changed or dropped.
 */
export async function storeChanges(session: ColumnarSession): Promise<void> {
  await session.run(`CHECKPOINT ${ATTACHED}`).catch(() => undefined);
}

/** Returns the bytes used by all tables. Space of dropped tables does not count; the file reuses it. */
export async function readDatabaseBytes(session: ColumnarSession): Promise<number> {
  const [row] = await session.select(
    `SELECT (used_blocks * block_size)::VARCHAR FROM pragma_database_size() WHERE database_name = ${literal(ATTACHED)}`,
  );
  return Number(row?.[0] ?? 0);
}

/** Begins a transaction that reads a table as it is now, whatever is committed later. */
export async function beginReading(session: ColumnarSession, table: CopyTable): Promise<void> {
  await session.run('BEGIN', `FROM ${table.name} LIMIT 0`);
}
