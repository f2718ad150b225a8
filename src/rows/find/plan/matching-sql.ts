import { isUnbounded } from '../../../datagrids/column-type/value-class';
import type { SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { indexTable } from '../../index/index-sql';
import type { SqlParameters } from '../filter/sql-parameters';
import { valueSql } from '../filter/value-sql';
import type { FindRequest } from '../find-request';
import { indexConditionSql } from './index-condition-sql';
import { indexUse, type IndexUse } from './index-use';
import {
  conditionsSql,
  cursorSql,
  isEveryRow,
  keyOrder,
  pageCte,
  type FoundSql,
  type Span,
} from './query-parts';

/** Returns SQL that finds the matching rows, by the best index or a full scan, and sorts them. */
export function matchingSql(request: FindRequest, span: Span, parameters: SqlParameters): FoundSql {
  const use = indexUse(request.filter);
  const isCovered = use !== null && isCovering(use, request);
  const valueOf = (column: SchemaColumn): string =>
    isCovered ? 'e.value' : valueSql(column, parameters);
  const id = isCovered ? 'e.row_id' : 'r.id';
  const keys = request.sort.map(({ column }, index) => `${valueOf(column)} AS k${String(index)}`);
  const met = conditionsSql(use?.rest ?? request.filter, request, parameters);
  const where = [
    ...(use ? entriesSql(use, parameters) : ['r.datagrid_id = $1']),
    ...met,
    ...cursorSql(request, parameters, id, valueOf),
  ];
  const isCounted = request.place.kind === 'page' && (use !== null || met.length > 0);
  // A covering index is read twice, for the count and for the page. Rows are read once.
  const isKept = isCounted && !isCovered;
  return {
    ctes: `found AS ${isKept ? 'MATERIALIZED' : 'NOT MATERIALIZED'} (
      SELECT ${[`${id} AS id`, ...keys].join(', ')}
      FROM ${fromSql(use, isCovered)}
      WHERE ${where.join(' AND ')}
    ), ${pageCte('found', keyOrder(request), span, parameters)}`,
    total: isCounted ? '(SELECT count(*) FROM found)' : 'c.row_count',
  };
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

/** Whether the index alone determines which rows match, and their order. */
function isCovering({ column, rest }: IndexUse, { search, sort }: FindRequest): boolean {
  const isSortedByIt = sort.every((key) => key.column === column && !isUnbounded(column.type));
  return isEveryRow(rest) && search === null && isSortedByIt;
}
