import type { QueryRequest } from '../rows/query/query-request';
import type { RowRange } from '../rows/query/plan/query-parts';
import { comparedValue, type CopyTable } from './copy-table';
import { compareSql, conditionsSql, type FilterContext } from './columnar-filter-sql';

/** Statements that find the rows of a page. */
export interface PageStatements {
  /** Selects the ids of the rows of the page, in order. */
  readonly ids: string;
  /** Selects the number of rows that match; `null` if it is not needed. */
  readonly total: string | null;
}

/** Returns the statements for a page. @throws NotServedError */
export function pageSql(
  request: QueryRequest,
  { offset, limit }: RowRange,
  context: FilterContext,
): PageStatements {
  const { table } = context;
  const conditions = conditionsSql(request, context);
  const isCounted = request.pagination.kind === 'page' && conditions.length > 0;
  const where = whereSql([...conditions, ...afterSql(request, context)]);
  return {
    ids: `SELECT id::VARCHAR FROM ${table.name} ${where}
      ORDER BY ${orderSql(request, table)} LIMIT ${String(limit)} OFFSET ${String(offset)}`,
    total: isCounted ? `SELECT count(*)::VARCHAR FROM ${table.name} ${whereSql(conditions)}` : null,
  };
}

export const whereSql = (conditions: readonly string[]): string =>
  conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;

function orderSql({ sort }: QueryRequest, table: CopyTable): string {
  const keys = sort.map(
    ({ column, isDescending }) =>
      `${comparedValue(table, column).sql} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  return [...keys, 'id'].join(', ');
}

/** Returns the condition for the rows after the position of a cursor, as `afterSql` of cursors does. */
function afterSql({ sort, pagination }: QueryRequest, context: FilterContext): string[] {
  const after = pagination.kind === 'cursor' ? pagination.after : null;
  if (!after) return [];
  const endsUnique = sort.at(-1)?.column.attribute?.isUnique === true;
  const condition = sort.reduceRight(
    (later, { column, isDescending }, index) => {
      const value = after.values[index] ?? null;
      const { sql } = comparedValue(context.table, column);
      if (value === null) return `(${sql} IS NULL AND ${later})`;
      const isBeyond = compareSql(context, column, isDescending ? '<' : '>', value);
      const isEqual = compareSql(context, column, '=', value);
      const isLast = column.attribute ? '' : ` OR ${sql} IS NULL`;
      return `(${isBeyond}${isLast} OR (${isEqual} AND ${later}))`;
    },
    endsUnique ? 'false' : `id > ${String(after.rowId)}`,
  );
  return [condition];
}
