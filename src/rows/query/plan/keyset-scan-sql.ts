import { COLUMN_TYPES } from '../../../datagrids/column-type/column-type';
import { indexTable, MAX_INDEXED_CHARACTERS } from '../../storage/index-entries-sql';
import { afterSql, type CursorPosition, type SortKey } from '../cursor';
import { operandSql, type SqlParameters, sqlType, valueSql } from '../filter/value-sql';
import type { QueryColumn } from '../query-column';
import type { Pagination, QueryRequest } from '../query-request';
import {
  conditionsSql,
  joinRow,
  type MatchSql,
  keyOrder,
  pageCte,
  type RowRange,
} from './query-parts';

/**
 * Returns a keyset scan: it reads the index of the first sort key until the page is full, first the
 * rows with a value, then those without. The filter is checked for each row that is read.
 */
export function keysetScanSql(
  request: QueryRequest,
  first: SortKey,
  span: RowRange,
  parameters: SqlParameters,
): MatchSql {
  const conditions = conditionsSql(request.filter, request, parameters);
  const maxRows = String(roundedUp(span.offset + span.limit));
  const valued =
    request.sort.length === 1
      ? singleKeySql(request.pagination, first, maxRows, conditions, parameters)
      : { ctes: [], parts: [partSql(request, first, true, maxRows, conditions, parameters)] };
  const parts = [...valued.parts, partSql(request, first, false, maxRows, conditions, parameters)];
  const isCounted = request.pagination.kind === 'page' && conditions.length > 0;
  return {
    ctes: `${[...valued.ctes, `scanned AS (${parts.join(' UNION ALL ')})`].join(', ')},
      ${pageCte('scanned', `part, ${keyOrder(request)}`, span, parameters)}`,
    total: isCounted
      ? `(SELECT count(*) FROM rows r WHERE ${['r.datagrid_id = $1', ...conditions].join(' AND ')})`
      : 'c.row_count',
  };
}

function singleKeySql(
  pagination: Pagination,
  key: SortKey,
  maxRows: string,
  conditions: readonly string[],
  parameters: SqlParameters,
): ScanParts {
  const after = pagination.kind === 'cursor' ? pagination.after : null;
  const isBeyondValues = after?.values[0] === null;
  if (isBeyondValues) return { ctes: [], parts: [] };
  return valueScanSql({ key, maxRows, conditions, after }, parameters);
}

function partSql(
  request: QueryRequest,
  first: SortKey,
  hasValue: boolean,
  maxRows: string,
  conditions: readonly string[],
  parameters: SqlParameters,
): string {
  const { column, isDescending } = first;
  const mayBeTruncated = COLUMN_TYPES[column.type].mayBeTruncated;
  const empty = sqlType(column.type) === 'numeric' ? 'NULL::numeric' : 'NULL::text COLLATE "C"';
  const whole = (): string => (mayBeTruncated ? valueSql(column, parameters) : 'e.value');
  const valueOf = (other: QueryColumn): string =>
    other === column ? (hasValue ? whole() : empty) : valueSql(other, parameters);
  const keys = request.sort.map((key, index) => `${valueOf(key.column)} AS k${String(index)}`);
  const needsRow = conditions.length > 0 || request.sort.length > 1 || (mayBeTruncated && hasValue);
  const table = `${indexTable(column.type)} e`;
  const where = [
    `e.datagrid_id = $1 AND e.column_id = ${parameters.add(column.id, 'int')}`,
    hasValue ? 'NOT e.is_empty' : 'e.is_empty',
    ...conditions,
    ...afterInPart(request, first, hasValue, parameters, valueOf),
  ];
  const direction = isDescending ? ' DESC' : '';
  return `(
    SELECT ${[hasValue ? '0 AS part' : '1 AS part', 'e.row_id AS id', ...keys].join(', ')}
    FROM ${needsRow ? `${table} ${joinRow('e.row_id')}` : table}
    WHERE ${where.join(' AND ')}
    ORDER BY ${hasValue ? `e.value${direction}, ` : ''}${partOrder(request, hasValue && !mayBeTruncated)}
    LIMIT ${maxRows}
  )`;
}

/**
 * Rounds up to a power of two. The limit is part of the text, because without a known limit the
 * planner chooses to read all rows. Rounding keeps the number of texts small. The page leaves out
 * the rows that are read in excess.
 */
function roundedUp(maxRows: number): number {
  return 2 ** Math.ceil(Math.log2(maxRows));
}

/** Returns the sort keys that the order of the index does not cover. */
function partOrder(request: QueryRequest, isByValueAlready: boolean): string {
  const order = keyOrder(request).split(', ');
  return order.slice(isByValueAlready ? 1 : 0).join(', ');
}

function afterInPart(
  { sort, pagination }: QueryRequest,
  { column, isDescending }: SortKey,
  hasValue: boolean,
  parameters: SqlParameters,
  valueOf: (column: QueryColumn) => string,
): string[] {
  const after = pagination.kind === 'cursor' ? pagination.after : null;
  if (!after) return [];
  const value = after.values[0] ?? null;
  if (value === null) {
    if (hasValue) return ['false'];
    const rest = { rowId: after.rowId, values: after.values.slice(1) };
    return [afterSql(sort.slice(1), rest, parameters, 'e.row_id', valueOf)];
  }
  if (!hasValue) return [];
  // The index leads to the value. The exact condition then leaves out its first rows.
  const bound = Array.from(value).slice(0, MAX_INDEXED_CHARACTERS).join('');
  return [
    `e.value ${isDescending ? '<=' : '>='} ${operandSql(column, bound, parameters)}`,
    afterSql(sort, after, parameters, 'e.row_id', valueOf),
  ];
}

/** Parts of a table with `part`, `id` and `k0`, and the common table expressions that they use. */
interface ScanParts {
  readonly ctes: readonly string[];
  readonly parts: readonly string[];
}

/** Parameters of a keyset scan with one sort key. */
interface ValueScan {
  readonly key: SortKey;
  /** Number of rows to read: the page or more. It is part of the text, for the planner. */
  readonly maxRows: string;
  /** Further conditions on a row. */
  readonly conditions: readonly string[];
  /** Position of the cursor, at a row with a value; `null` for the first page. */
  readonly after: CursorPosition | null;
}

/**
 * Returns a keyset scan of the index of the only sort key, for the rows with a value. It reads
 * little more than the page, even if many rows share a value:
 * 1. The other rows with the cursor's value.
 * 2. The rows with later values.
 * 3. The rows with the last value of step 2 again, if the scan is descending or values can be
 *    truncated. The index orders rows with the same entry by ascending id, and entries are truncated,
 *    so step 2 may have read only some of them, in another order than the page.
 */
function valueScanSql(scan: ValueScan, parameters: SqlParameters): ScanParts {
  const { key, maxRows, conditions, after } = scan;
  const { column, isDescending } = key;
  const mayBeTruncated = COLUMN_TYPES[column.type].mayBeTruncated;
  const direction = isDescending ? ' DESC' : '';
  const value = mayBeTruncated ? wholeValue(column, parameters) : 'e.value';
  const rows = conditions.length > 0 ? joinRow('e.row_id') : '';
  const columnId = parameters.add(column.id, 'int');
  const read = (where: readonly string[], order: string, k0 = value): string => `(
    SELECT 0 AS part, e.row_id AS id, ${k0} AS k0, e.value AS entry
    FROM ${indexTable(column.type)} e ${rows}
    WHERE ${[`e.datagrid_id = $1 AND e.column_id = ${columnId} AND NOT e.is_empty`, ...conditions, ...where].join(' AND ')}
    ORDER BY ${order} LIMIT ${maxRows}
  )`;
  const ties = after === null ? null : tiesAfter(key, after, value, parameters);
  const isPastCursorValue =
    ties === null ? [] : [`e.value ${isDescending ? '<' : '>'} ${ties.entry}`];
  const cursorTies = ties === null ? [] : [read(ties.where, ties.order)];
  const parts = (all: readonly string[]): string[] =>
    all.map((part) => `SELECT part, id, k0 FROM ${part} w`);
  if (!isDescending && !mayBeTruncated) {
    return {
      ctes: [],
      parts: parts([...cursorTies, read(isPastCursorValue, 'e.value, e.row_id')]),
    };
  }
  const lastEntry = '(SELECT entry FROM last)';
  const isLast = `e.value = ${lastEntry}`;
  const isUntruncated = `char_length(${lastEntry}) < ${String(MAX_INDEXED_CHARACTERS)}`;
  const lastTies = mayBeTruncated
    ? [
        read([isLast, isUntruncated], 'e.row_id', 'e.value'),
        read([isLast, `NOT ${isUntruncated}`], `k0${direction}, e.row_id`),
      ]
    : [read([isLast], 'e.row_id')];
  return {
    ctes: [
      `later AS MATERIALIZED ${read(isPastCursorValue, `e.value${direction}`)}`,
      `last AS (
        SELECT ${isDescending ? 'min' : 'max'}(entry) AS entry FROM later HAVING count(*) = ${maxRows}
      )`,
    ],
    parts: parts([
      ...cursorTies,
      `(SELECT * FROM later WHERE entry IS DISTINCT FROM ${lastEntry})`,
      ...lastTies,
    ]),
  };
}

/** Returns conditions and order of the rows after the cursor's row that share its index entry. */
function tiesAfter(
  { column, isDescending }: SortKey,
  { values: [last], rowId }: CursorPosition,
  value: string,
  parameters: SqlParameters,
): { readonly entry: string; readonly where: readonly string[]; readonly order: string } {
  const isLater = `e.row_id > ${parameters.add(rowId, 'bigint')}`;
  const characters = Array.from(last ?? '');
  if (!COLUMN_TYPES[column.type].mayBeTruncated || characters.length < MAX_INDEXED_CHARACTERS) {
    const entry = operandSql(column, last, parameters);
    return { entry, where: [`e.value = ${entry}`, isLater], order: 'e.row_id' };
  }
  const entry = operandSql(
    column,
    characters.slice(0, MAX_INDEXED_CHARACTERS).join(''),
    parameters,
  );
  const whole = operandSql(column, last, parameters);
  const sign = isDescending ? '<' : '>';
  const isAfter = `(${value} ${sign} ${whole} OR (${value} = ${whole} AND ${isLater}))`;
  const order = `k0${isDescending ? ' DESC' : ''}, e.row_id`;
  return { entry, where: [`e.value = ${entry}`, isAfter], order };
}

/** Returns the whole value. The row is read only if the entry may be truncated. */
function wholeValue(column: SortKey['column'], parameters: SqlParameters): string {
  return `CASE WHEN char_length(e.value) < ${String(MAX_INDEXED_CHARACTERS)} THEN e.value ELSE (
    SELECT ${valueSql(column, parameters)} FROM rows r WHERE r.datagrid_id = $1 AND r.id = e.row_id
  ) END`;
}
