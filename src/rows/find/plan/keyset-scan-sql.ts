import { isUnbounded, valueClass } from '../../../datagrids/column-type/value-class';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { indexTable, MAX_INDEXED_CHARACTERS } from '../../index/index-sql';
import { afterSql } from '../cursor/cursor-sql';
import type { SqlParameters } from '../filter/sql-parameters';
import { operandSql, valueSql } from '../filter/value-sql';
import type { FindPlace, FindRequest } from '../find-request';
import type { SortKey } from '../sort/sort';
import { conditionsSql, keyOrder, pageCte, type FoundSql, type Span } from './query-parts';
import { valueWalkSql, type WalkedParts } from './value-walk-sql';

/**
 * Returns a keyset scan: it reads the index of the first sort key until the page is full, first the
 * rows with a value, then those without. The filter is checked for each row that is read.
 */
export function keysetScanSql(
  request: FindRequest,
  first: SortKey,
  span: Span,
  parameters: SqlParameters,
): FoundSql {
  const met = conditionsSql(request.filter, request, parameters);
  const most = String(roundedUp(span.offset + span.limit));
  const valued =
    request.sort.length === 1
      ? onlyKeySql(request.place, first, most, met, parameters)
      : { ctes: [], parts: [partSql(request, first, true, most, met, parameters)] };
  const parts = [...valued.parts, partSql(request, first, false, most, met, parameters)];
  const isCounted = request.place.kind === 'page' && met.length > 0;
  return {
    ctes: `${[...valued.ctes, `walked AS (${parts.join(' UNION ALL ')})`].join(', ')},
      ${pageCte('walked', `part, ${keyOrder(request)}`, span, parameters)}`,
    total: isCounted
      ? `(SELECT count(*) FROM rows r WHERE ${['r.datagrid_id = $1', ...met].join(' AND ')})`
      : 'c.row_count',
  };
}

function onlyKeySql(
  place: FindPlace,
  key: SortKey,
  most: string,
  met: readonly string[],
  parameters: SqlParameters,
): WalkedParts {
  const after = place.kind === 'cursor' ? place.after : null;
  const isBeyondValues = after?.values[0] === null;
  if (isBeyondValues) return { ctes: [], parts: [] };
  return valueWalkSql({ key, most, met, after }, parameters);
}

function partSql(
  request: FindRequest,
  first: SortKey,
  hasValue: boolean,
  most: string,
  met: readonly string[],
  parameters: SqlParameters,
): string {
  const { column, isDescending } = first;
  const isCut = isUnbounded(column.type);
  const empty = valueClass(column.type) === 'number' ? 'NULL::numeric' : 'NULL::text COLLATE "C"';
  const whole = (): string => (isCut ? valueSql(column, parameters) : 'e.value');
  const valueOf = (other: SchemaColumn): string =>
    other === column ? (hasValue ? whole() : empty) : valueSql(other, parameters);
  const keys = request.sort.map((key, index) => `${valueOf(key.column)} AS k${String(index)}`);
  const needsRow = met.length > 0 || request.sort.length > 1 || (isCut && hasValue);
  const table = `${indexTable(column.type)} e`;
  const where = [
    `e.datagrid_id = $1 AND e.column_id = ${parameters.add(column.id, 'int')}`,
    hasValue ? 'NOT e.is_empty' : 'e.is_empty',
    ...met,
    ...afterInPart(request, first, hasValue, parameters, valueOf),
  ];
  const direction = isDescending ? ' DESC' : '';
  return `(
    SELECT ${[hasValue ? '0 AS part' : '1 AS part', 'e.row_id AS id', ...keys].join(', ')}
    FROM ${needsRow ? `${table} JOIN rows r ON r.datagrid_id = $1 AND r.id = e.row_id` : table}
    WHERE ${where.join(' AND ')}
    ORDER BY ${hasValue ? `e.value${direction}, ` : ''}${partOrder(request, hasValue && !isCut)}
    LIMIT ${most}
  )`;
}

/**
 * Rounds up to a power of two. The limit is part of the text, because without a known limit the
 * planner chooses to read all rows. Rounding keeps the number of texts small. The page leaves out
 * the rows that are read in excess.
 */
function roundedUp(most: number): number {
  return 2 ** Math.ceil(Math.log2(most));
}

/** Returns the sort keys that the order of the index does not cover. */
function partOrder(request: FindRequest, isByValueAlready: boolean): string {
  const order = keyOrder(request).split(', ');
  return order.slice(isByValueAlready ? 1 : 0).join(', ');
}

function afterInPart(
  { sort, place }: FindRequest,
  { column, isDescending }: SortKey,
  hasValue: boolean,
  parameters: SqlParameters,
  valueOf: (column: SchemaColumn) => string,
): string[] {
  const after = place.kind === 'cursor' ? place.after : null;
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
