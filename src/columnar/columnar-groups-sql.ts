import { ignoresCase } from '../datagrids/column-type/column-type';
import type { Aggregate, AggregateRequest, GroupKey } from '../rows/aggregate/aggregate-request';
import { type GroupPart, partsOfAggregate, partsOfGroup } from '../rows/aggregate/group-parts';
import { PRINTED_PREFIX } from '../destinations/duckdb/duckdb-sql';
import type { QueryColumn } from '../rows/query/query-column';
import { conditionsSql, type FilterContext } from './columnar-filter-sql';
import { whereSql } from './columnar-page-sql';
import {
  comparedValue,
  type CopyTable,
  type CopyValue,
  NotServedError,
  scaleName,
  writtenValue,
} from './copy-table';

/** SQL of a result of each group: its parts, as text, and what groups are ordered by. */
interface ResultSql {
  readonly parts: readonly string[];
  readonly order: string;
}

/**
 * Returns a statement for groups of rows. Its columns are texts: the number of all groups, then the parts
 * of each result, as `partsOfGroup` and `partsOfAggregate` name them, each after `PRINTED_PREFIX`.
 * @throws NotServedError
 */
export function groupsSql(request: AggregateRequest, context: FilterContext): string {
  const { table } = context;
  const keys = request.groupBy.map((key) => keySql(table, key));
  const results = [
    ...request.groupBy.map((key, index) => groupSql(table, key, `k${String(index)}`)),
    ...request.aggregates.map((aggregate) => aggregateSql(table, aggregate)),
  ];
  const selected = results.flatMap(({ parts, order }, index) => [
    ...parts.map((part, at) => `'${PRINTED_PREFIX}' || (${part}) AS ${partName(index, at)}`),
    `${order} AS o${String(index)}`,
  ]);
  const columns = results.flatMap(({ parts }, index) => parts.map((_, at) => partName(index, at)));
  const rows = `SELECT *${keys.map((key, index) => `, ${key} AS k${String(index)}`).join('')}
    FROM ${table.name} ${whereSql(conditionsSql(request, context))}`;
  const by = keys.length === 0 ? '' : `GROUP BY ${keys.map((_, n) => `k${String(n)}`).join(', ')}`;
  return `WITH grouped AS (SELECT ${selected.join(', ')} FROM (${rows}) r ${by})
    SELECT (SELECT count(*) FROM grouped)::VARCHAR, ${columns.join(', ')}
    FROM grouped ${orderSql(request)}`;
}

const partName = (result: number, part: number): string => `r${String(result)}p${String(part)}`;

/** PostgreSQL rounds averages, which can make them equal. So it orders by them, and needs all groups. */
function orderSql({ sort, groupBy, aggregates, limit }: AggregateRequest): string {
  const isByAverage = sort.some(
    ({ kind, index }) => kind === 'aggregate' && aggregates[index]?.function === 'avg',
  );
  if (isByAverage) return '';
  const keys = sort.map(({ kind, index, isDescending }) => {
    const at = kind === 'group' ? index : groupBy.length + index;
    return `o${String(at)} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST`;
  });
  return `${keys.length === 0 ? '' : `ORDER BY ${keys.join(', ')}`} LIMIT ${String(limit)}`;
}

/** Returns the value by which rows are grouped. */
function keySql(table: CopyTable, { column, bucket }: GroupKey): string {
  const { sql } = comparedValue(table, column);
  return bucket === null ? sql : `CAST(date_trunc('${bucket}', ${sql}) AS DATE)`;
}

function groupSql(table: CopyTable, key: GroupKey, name: string): ResultSql {
  const { column, bucket } = key;
  const compared = comparedValue(table, column);
  const kind = bucket === null ? compared.kind : 'date';
  const sql: Readonly<Record<GroupPart, () => string>> = {
    value: () => printed({ ...compared, kind, sql: name }),
    written: () => `min(${writtenValue(table, column).sql})`,
    scale: () => scaleSql(column, compared),
    count: () => 'count(*)::VARCHAR',
  };
  const parts = partsOfGroup(key);
  // Groups that differ in another key can have texts of different case.
  const order = parts.includes('written')
    ? `CASE WHEN ${name} IS NOT NULL THEN struct_pack(folded := ${name}, written := ${sql.written()}) END`
    : name;
  return { parts: parts.map((part) => sql[part]()), order };
}

function aggregateSql(table: CopyTable, aggregate: Aggregate): ResultSql {
  const { function: applied, column } = aggregate;
  if (!column) return { parts: ['count(*)::VARCHAR'], order: 'count(*)' };
  const written = writtenValue(table, column);
  if (applied === 'count') {
    const isPresence = written.kind === 'presence';
    const count = isPresence ? `count(*) FILTER (${written.sql})` : `count(${written.sql})`;
    return { parts: [`${count}::VARCHAR`], order: count };
  }
  const compared = comparedValue(table, column);
  const { value, texts } = appliedSql(applied, column, compared, written);
  const sql: Readonly<Record<GroupPart, () => string>> = {
    value: () => (texts ? `${texts}.folded` : printed({ ...compared, ...value })),
    written: () => `${texts ?? ''}.written`,
    scale: () => scaleSql(column, compared),
    count: () => `count(${compared.sql})::VARCHAR`,
  };
  return {
    parts: partsOfAggregate(aggregate).map((part) => sql[part]()),
    order: texts ?? value.sql,
  };
}

/** SQL of an aggregate, or of a struct with both texts of its row. */
interface AppliedSql {
  readonly value: Pick<CopyValue, 'kind' | 'sql'>;
  readonly texts?: string;
}

function appliedSql(
  applied: Exclude<Aggregate['function'], 'count'>,
  column: QueryColumn,
  { sql, kind }: CopyValue,
  written: CopyValue,
): AppliedSql {
  switch (applied) {
    case 'countDistinct':
      return { value: { kind: 'integer', sql: `count(DISTINCT ${sql})` } };
    case 'sum':
    case 'avg':
      // PostgreSQL divides.
      return { value: { kind, sql: `sum(${sql})` } };
    case 'min':
    case 'max': {
      const value = { kind, sql: `${applied}(${sql})` };
      if (!ignoresCase(column)) return { value };
      const both = `struct_pack(folded := ${sql}, written := ${written.sql})`;
      return { value, texts: `${applied}(${both}) FILTER (${sql} IS NOT NULL)` };
    }
  }
}

/** Returns the most digits after the point that a value of the group was written with. */
function scaleSql({ id }: QueryColumn, { kind }: CopyValue): string {
  return kind === 'decimal' ? `max(${scaleName(id)})::VARCHAR` : `'0'`;
}

/** Returns a value as text, as the service stores it. */
function printed({ sql, kind }: CopyValue): string {
  switch (kind) {
    case 'datetime':
      return `strftime(${sql}, '%Y-%m-%dT%H:%M:%S.%gZ')`;
    case 'text':
      return sql;
    case 'integer':
    case 'decimal':
    case 'boolean':
    case 'date':
      return `CAST(${sql} AS VARCHAR)`;
    case 'texts':
    case 'ids':
    case 'double':
    case 'json':
    case 'presence':
      throw new NotServedError('values of the column are not compared');
  }
}
