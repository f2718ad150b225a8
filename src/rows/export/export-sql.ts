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

/** Selects the version of a datagrid that is exported. Parameters: datagrid id, account id. */
export const EXPORTED_VERSION = `
  SELECT c.revision, c.schema_version AS "schemaVersion", d.plain_values AS "isPlain"
  FROM datagrids d JOIN datagrid_counters c ON c.datagrid_id = d.id
  WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL`;

/**
 * Returns the planner settings of an export. Rows in id order must not be sorted first, regardless
 * of PostgreSQL's statistics: the primary key has that order and returns the first row at once.
 */
export const planSettings = ({ filter, sort }: FindRequest): string =>
  sort.length > 0 || indexUse(filter) !== null
    ? ''
    : 'SET LOCAL enable_sort = off; SET LOCAL enable_bitmapscan = off';

export interface ExportedColumns {
  /** All columns of the datagrid. */
  readonly all: readonly SchemaColumn[];
  /** Whether the stored values of a row are its visible values. */
  readonly isPlain: boolean;
}

/**
 * Returns the COPY statement for the rows of a request, one line each, in order. JSON passes
 * through unchanged: the quote and the delimiter are control characters, which JSON escapes, so
 * JSON contains nothing that CSV must quote.
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

/** Returns the SQL of the cells of a CSV line: text as is, and lists and JSON values as JSON. */
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
  // A single NULL would print an empty line, which is not a row.
  return values.length === 1 ? values.map((value) => `coalesce(${value}, '')`) : values;
}

/**
 * Types whose values are free text. JSON needs no escape: it starts with a bracket or a quote, or
 * is a plain number or literal.
 */
const TEXTS: ReadonlySet<ColumnType> = new Set<ColumnType>(['text', 'select', 'email', 'url']);

/** Escapes a formula: after an apostrophe a spreadsheet reads text (OWASP, CSV injection). */
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
