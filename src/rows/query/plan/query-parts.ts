import { COLUMN_TYPES, ignoresCase } from '../../../datagrids/column-type/column-type';
import { hasIndex } from '../../../datagrids/column/column-record';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { indexTable, MAX_INDEXED_CHARACTERS } from '../../storage/index-entries-sql';
import { afterSql } from '../cursor';
import { filterSql, searchSql } from '../filter/filter-sql';
import type { IndexOperator } from '../filter/operators';
import { type ColumnFilter, type Filter, isEveryRow } from '../filter/parse-filter';
import { type SqlParameters, textOf, valueSql } from '../filter/value-sql';
import type { QueryColumn } from '../query-column';
import type { MatchRequest, QueryRequest } from '../query-request';

/** Parts of a statement that finds rows, for use in the surrounding statement. */
export interface MatchSql {
  /** Common table expressions. The last, `page`, has `id`, sort keys `k0` … and row number `n`. */
  readonly ctes: string;
  /** SQL of the number of rows that match. */
  readonly total: string;
}

/** Parts of a statement that reads only rows that the change log names. */
export interface NamedRowsSql {
  /** Common table expressions. `changed` has the ids of the rows. */
  readonly ctes: readonly string[];
  /** Conditions on a row `r`. */
  readonly where: readonly string[];
  /** Condition for the statement: without it, rows would be missing. */
  readonly isComplete: string;
}

/** Range of the matching rows, in order, that makes up the page. */
export interface RowRange {
  readonly offset: number;
  readonly limit: number;
}

/** Returns the conditions on row `r`, except that of the cursor. */
export function conditionsSql(
  filter: Filter,
  { search, searched }: MatchRequest,
  parameters: SqlParameters,
): string[] {
  const conditions = isEveryRow(filter) ? [] : [filterSql(filter, parameters)];
  if (search === null) return conditions;
  return [...conditions, searchSql(search, searched, parameters)];
}

/** Returns the condition of the cursor; empty for a first page. */
function cursorSql(
  { sort, pagination }: QueryRequest,
  parameters: SqlParameters,
  id: string,
  valueOf: (column: QueryColumn) => string,
): string[] {
  const after = pagination.kind === 'cursor' ? pagination.after : null;
  return after ? [afterSql(sort, after, parameters, id, valueOf)] : [];
}

/** Returns the order of a table that has the sort keys as `k0` … and the row's `id`. */
export function keyOrder({ sort }: QueryRequest): string {
  const keys = sort.map(
    // Attributes are never NULL. NULLS LAST would keep the primary key from serving an order by `_id`.
    ({ column: { attribute }, isDescending }, index) =>
      `k${String(index)}${isDescending ? ' DESC' : ''}${attribute ? '' : ' NULLS LAST'}`,
  );
  return [...keys, 'id'].join(', ');
}

/** Returns the table expression that selects the page from a table and numbers its rows. */
export function pageCte(
  table: string,
  order: string,
  { offset, limit }: RowRange,
  parameters: SqlParameters,
): string {
  return `page AS (
    SELECT *, row_number() OVER () AS n FROM (
      SELECT * FROM ${table} ORDER BY ${order}
      OFFSET ${parameters.add(offset, 'bigint')} LIMIT ${parameters.add(limit, 'bigint')}
    ) p
  )`;
}

/**
 * Returns SQL that finds the matching rows, by the best index or a full scan, and sorts them.
 * @param among The rows among which all matching ones are. No index is used then.
 */
export function matchingSql(
  request: QueryRequest,
  span: RowRange,
  parameters: SqlParameters,
  among: NamedRowsSql | null = null,
): MatchSql {
  const use = among ? null : indexUse(request.filter);
  const isCovered = use !== null && isCovering(use, request);
  const valueOf = (column: QueryColumn): string =>
    isCovered ? 'e.value' : valueSql(column, parameters);
  const id = isCovered ? 'e.row_id' : 'r.id';
  const keys = request.sort.map(({ column }, index) => `${valueOf(column)} AS k${String(index)}`);
  const conditions = conditionsSql(use?.remainingFilter ?? request.filter, request, parameters);
  const where = [
    ...(use ? entriesSql(use, parameters) : ['r.datagrid_id = $1']),
    ...conditions,
    ...cursorSql(request, parameters, id, valueOf),
    ...(among?.where ?? []),
  ];
  const isCounted = request.pagination.kind === 'page' && (use !== null || conditions.length > 0);
  // A covering index is read twice, for the count and for the page. Rows are read once.
  const isMaterialized = among !== null || (isCounted && !isCovered);
  const from = among ? `changed e ${joinRow('e.id')}` : fromSql(use, isCovered);
  const before = among?.ctes.map((each) => `${each}, `).join('') ?? '';
  return {
    ctes: `${before}found AS ${isMaterialized ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (
      SELECT ${[`${id} AS id`, ...keys].join(', ')}
      FROM ${from}
      WHERE ${where.join(' AND ')}
    ), ${pageCte('found', keyOrder(request), span, parameters)}`,
    total: isCounted ? '(SELECT count(*) FROM found)' : 'c.row_count',
  };
}

/**
 * Joins row `r` of a datagrid with this id, if there is one. It is read by its primary key, whatever
 * the statistics say: of a datagrid that is newer than they are, the planner expects one row, and could
 * read the whole datagrid for each row of a page.
 * @param id SQL of the id, from the tables before.
 * @param datagridId SQL of the id of the datagrid.
 */
export const joinRow = (id: string, datagridId = '$1'): string =>
  `CROSS JOIN LATERAL (SELECT * FROM rows WHERE datagrid_id = ${datagridId} AND id = ${id} OFFSET 0) r`;

/** SQL of the rows `r` that match a query, in no order. */
export interface MatchedRowsSql {
  readonly from: string;
  readonly where: string;
}

/** Returns SQL that finds all matching rows, by the best index or a full scan. */
export function matchedRowsSql(request: MatchRequest, parameters: SqlParameters): MatchedRowsSql {
  const use = indexUse(request.filter);
  const where = [
    ...(use ? entriesSql(use, parameters) : ['r.datagrid_id = $1']),
    ...conditionsSql(use?.remainingFilter ?? request.filter, request, parameters),
  ];
  return { from: fromSql(use, false), where: where.join(' AND ') };
}

function fromSql(use: IndexUse | null, isCovered: boolean): string {
  if (use === null) return 'rows r';
  const entries = `${indexTable(use.column.type)} e`;
  return isCovered ? entries : `${entries} JOIN rows r ON r.datagrid_id = $1 AND r.id = e.row_id`;
}

function entriesSql({ column, conditions }: IndexUse, parameters: SqlParameters): string[] {
  return [
    `e.datagrid_id = $1 AND e.column_id = ${parameters.add(column.id, 'int')} AND NOT e.is_empty`,
    ...conditions.map((condition) => indexConditionSql(condition, parameters)),
  ];
}

/** Returns whether the index alone determines which rows match, and their order. */
function isCovering(
  { column, remainingFilter }: IndexUse,
  { search, sort }: QueryRequest,
): boolean {
  const isSortedByIt = sort.every(
    (key) => key.column === column && !COLUMN_TYPES[column.type].mayBeTruncated,
  );
  return isEveryRow(remainingFilter) && search === null && isSortedByIt;
}

/** A condition that an index can serve. */
interface IndexCondition extends ColumnFilter {
  readonly operator: IndexOperator;
}

/** A filter in two parts: conditions that a column's index decides exactly, and those on rows. */
export interface IndexUse {
  readonly column: SchemaColumn;
  readonly conditions: readonly IndexCondition[];
  readonly remainingFilter: Filter;
}

/** Returns the index that serves a filter best, or `null` if none does. */
export function indexUse(filter: Filter): IndexUse | null {
  const parts = conjuncts(filter);
  const usable = parts.filter(isUsable);
  const [best] = [...usable].sort((a, b) => selectivity(b) - selectivity(a));
  if (!best) return null;
  const isServed = (part: Filter): part is IndexCondition =>
    isUsable(part) && part.column === best.column;
  return {
    column: best.column,
    conditions: parts.filter(isServed),
    remainingFilter: { kind: 'and', parts: parts.filter((part) => !isServed(part)) },
  };
}

/** Minimum selectivity of a condition with which an index leads to few rows. A range has less. */
const SELECTIVE = 2;

/** Returns whether an index leads to few rows. No copy of the rows is faster then. */
export function isSelective(filter: Filter): boolean {
  const use = indexUse(filter);
  return use?.conditions.some((part) => selectivity(part) >= SELECTIVE) === true;
}

/** Returns the sort key whose index is scanned, if it has one and no index serves the filter. */
export function keysetSort({
  sort: [first],
  filter,
}: QueryRequest): QueryRequest['sort'][number] | undefined {
  return first && hasIndex(first.column) && indexUse(filter) === null ? first : undefined;
}

/** Returns the conditions of which all must match. */
export function conjuncts(filter: Filter): readonly Filter[] {
  return filter.kind === 'and' ? filter.parts.flatMap(conjuncts) : [filter];
}

function isUsable(filter: Filter): filter is IndexCondition {
  if (filter.kind !== 'column') return false;
  const { column, operator, operands } = filter;
  if (!hasIndex(column) || operator.index === null) return false;
  // Long values are truncated in the index. Comparisons with them are exact only for operands
  // shorter than the truncated length.
  // Lower case has at most twice as many characters.
  const factor = ignoresCase(column) ? 2 : 1;
  return (
    !COLUMN_TYPES[column.type].mayBeTruncated ||
    operands.every((operand) => factor * textOf(operand).length < MAX_INDEXED_CHARACTERS)
  );
}

function selectivity({ operator }: IndexCondition): number {
  return operator.index.selectivity;
}

/** Returns a condition on index entry `e` that its primary key serves. */
export function indexConditionSql(
  { column, operator, operands }: IndexCondition,
  parameters: SqlParameters,
): string {
  return operator.index.sql(column, operands, parameters);
}
