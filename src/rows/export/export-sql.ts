import type { ColumnType } from '../../datagrids/column-type/column-type';
import type { SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import type { FindRequest } from '../find/find-request';
import { SqlLiterals } from '../find/filter/sql-literals';
import { valueSql } from '../find/filter/value-sql';
import { pickedValues } from '../find/picked-values-sql';
import { indexConditionSql } from '../find/plan/index-condition-sql';
import { indexUse, type IndexUse } from '../find/plan/index-use';
import { conditionsSql } from '../find/plan/query-parts';
import { indexTable } from '../index/index-sql';
import { printedOnce, WITH_CREATED_TEXT } from '../storage/row-json-sql';
import { DELIMITERS } from '../values/delimiter';
import type { CsvStyle, RowPrint } from './export-request';

/** The version that an export is made of. Takes the datagrid and the account. */
export const EXPORTED_VERSION = `
  SELECT c.revision, c.schema_version AS "schemaVersion", d.plain_values AS "isPlain"
  FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
  WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`;

/**
 * How an export is planned. What comes in the order of the ids is not to be sorted first, whatever
 * PostgreSQL thinks of the table: the primary key has that order, and gives the first row at once.
 */
export const planSettings = ({ filter, sort }: FindRequest): string =>
  sort.length > 0 || indexUse(filter) !== null
    ? ''
    : 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';

export interface ExportedColumns {
  /** All that the datagrid has. */
  readonly all: readonly SchemaColumn[];
  /** Whether what is stored of a row is what is shown of it. */
  readonly isPlain: boolean;
}

/**
 * Copies the rows that a request asks for, a line each, in their order. What is JSON passes
 * through as it is: with control characters, which JSON escapes, for its quotes and delimiters
 * there is nothing in it that CSV would have to quote.
 */
export function exportSql(
  datagridId: string,
  columns: ExportedColumns,
  request: FindRequest,
  print: RowPrint,
  style: CsvStyle,
): string {
  const sql = new SqlLiterals();
  const lines = print === 'csv' ? cells(request.fields ?? columns.all, style, sql) : [];
  const json = print === 'csv' ? [] : [jsonSql(columns, request, print, sql)];
  const rows = `${sourceSql(datagridId, request, sql)} ORDER BY ${orderSql(request, sql)}`;
  const format =
    print === 'csv'
      ? `, DELIMITER '${DELIMITERS[style.delimiter]}'`
      : String.raw`, QUOTE E'\x01', DELIMITER E'\x02'`;
  return `
    COPY (
      SELECT ${[...lines, ...json].join(', ')}
      FROM ${print === 'row' ? `(SELECT ${WITH_CREATED_TEXT} FROM ${rows} OFFSET 0) r` : rows}
    ) TO STDOUT (FORMAT csv${format})`;
}

function jsonSql(
  { all, isPlain }: ExportedColumns,
  { fields }: FindRequest,
  print: 'values' | 'row',
  sql: SqlLiterals,
): string {
  const isStored = isPlain && fields === null;
  const values = isStored ? 'r."values"' : pickedValues(fields ?? all, sql);
  return print === 'row' ? printedOnce(values) : `${values}::text`;
}

/** The cells of a line of CSV: text as it is, and lists and JSON as JSON. */
function cells(
  columns: readonly SchemaColumn[],
  { escapeFormulas }: CsvStyle,
  sql: SqlLiterals,
): string[] {
  const values = columns.map(({ type, slot }) => {
    const isJson = type === 'json' || type === 'multiSelect';
    const name = sql.add(slot, 'text');
    if (isJson) return `(r."values" -> ${name})::text`;
    const value = `r."values" ->> ${name}`;
    return escapeFormulas && TEXTS.has(type) ? escapedSql(value) : value;
  });
  // A line with nothing on it would be no row.
  return values.length === 1 ? values.map((value) => `coalesce(${value}, '')`) : values;
}

/** Types whose values are free text. JSON text begins with a bracket, a quote or a plain number. */
const TEXTS: ReadonlySet<ColumnType> = new Set<ColumnType>(['text', 'select', 'email', 'url']);

/** An apostrophe makes a spreadsheet take what follows for text (OWASP, CSV injection). */
const escapedSql = (value: string): string => String.raw`
  CASE WHEN left(${value}, 1) = ANY (ARRAY['=', '+', '-', '@', E'\t', E'\r', E'\n'])
    THEN '''' || (${value}) ELSE ${value} END`;

function sourceSql(datagridId: string, request: FindRequest, sql: SqlLiterals): string {
  const id = sql.add(datagridId, 'uuid');
  const use = indexUse(request.filter);
  const where = [
    `r.datagrid_id = ${id}`,
    ...(use ? entriesSql(use, id, sql) : []),
    ...conditionsSql(use?.rest ?? request.filter, request, sql),
  ];
  const from = use ? `${indexTable(use.column.type)} e JOIN rows r ON r.id = e.row_id` : 'rows r';
  return `${from} WHERE ${where.join(' AND ')}`;
}

function entriesSql({ column, conditions }: IndexUse, id: string, sql: SqlLiterals): string[] {
  const ofColumn = `e.datagrid_id = ${id} AND e.column_id = ${sql.add(column.id, 'int')}`;
  return [
    `${ofColumn} AND NOT e.is_empty`,
    ...conditions.map((condition) => indexConditionSql(condition, sql)),
  ];
}

function orderSql({ sort }: FindRequest, sql: SqlLiterals): string {
  const keys = sort.map(
    ({ column, isDescending }) =>
      `${valueSql(column, sql)}${isDescending ? ' DESC' : ''} NULLS LAST`,
  );
  return [...keys, 'r.id'].join(', ');
}
