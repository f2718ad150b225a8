import {
  COLUMN_TYPES,
  ignoresCase,
  isComparedAsNumber,
} from '../../datagrids/column-type/column-type';
import { MAX_DIGITS } from '../../datagrids/column-type/value-check';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { SqlParameters, valueSql, writtenTextSql } from '../query/filter/value-sql';
import { matchedRowsSql } from '../query/plan/query-parts';
import type { DateBucket, QueryColumn } from '../query/query-column';
import type { Aggregate, AggregateRequest, GroupKey } from './aggregate-request';
import type { FoundGroupValues } from './columnar-groups';
import { partsOfAggregate, partsOfGroup } from './group-parts';

/** A statement for one request. Its text depends on the structure of the request. */
export interface AggregateStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Notation of a result: JSON as PostgreSQL prints its type, or a string with a decimal number. The result
 * of `written` is an array: a text in lower case, by which results are ordered, and the text of a row,
 * which is printed.
 */
type Print = 'json' | 'decimal' | 'text' | 'written' | 'boolean';

/** SQL of a result as it is printed as JSON. */
const PRINTED: Readonly<Record<Print, (result: string) => string>> = {
  json: (result) => result,
  decimal: (result) => `${result}::text`,
  text: (result) => result,
  written: (result) => `${result}[2]`,
  boolean: (result) => `${result}::boolean`,
};

/** A column of the response: SQL of the result, and how it is printed. */
interface Result {
  readonly name: string;
  /** Expression over the rows of a group. */
  readonly sql: string;
  readonly print: Print;
}

/**
 * Returns the statement for one request: the groups in order, as text, and their number, from one
 * snapshot. The statement returns no row if the account has no such datagrid, or if the columns are
 * not those of `schema`. The text is NULL if it is longer than `maxBytes`.
 *
 * Each value of a row is read once. `OFFSET 0` keeps PostgreSQL from reading it again wherever it is
 * used.
 */
export function aggregateSql(
  accountId: string,
  schema: DatagridSchema,
  request: AggregateRequest,
  maxBytes: number,
): AggregateStatement {
  const parameters = new SqlParameters(schema.datagridId, accountId, schema.version);
  const { values, groups, aggregates } = resultsOf(request, parameters);
  const { from, where } = matchedRowsSql(request, parameters);
  const results = named(groups, aggregates);
  const keys = groups.map((_, index) => `s.v${String(index)}`);
  const grouped = `
      SELECT ${selected(results)}
      FROM (SELECT ${values.join(', ')} FROM ${from} WHERE ${where} OFFSET 0) s
      ${keys.length === 0 ? '' : `GROUP BY ${keys.join(', ')}`}`;
  const total = 'count(*) OVER ()';
  return printingSql(request, maxBytes, parameters, { grouped, total, groups, aggregates });
}

/**
 * The same for groups that a columnar copy has found in the snapshot of the statement.
 * @throws as `aggregateSql`
 */
export function foundGroupsSql(
  accountId: string,
  schema: DatagridSchema,
  request: AggregateRequest,
  maxBytes: number,
  found: FoundGroupValues,
): AggregateStatement {
  const parameters = new SqlParameters(schema.datagridId, accountId, schema.version);
  let parts = 0;
  const next = (): string => {
    parts += 1;
    return `g.p${String(parts - 1)}`;
  };
  const groups = request.groupBy.map((key) => foundGroup(key, partsOfGroup(key).map(next)));
  const aggregates = request.aggregates.map((one) =>
    foundAggregate(one, partsOfAggregate(one).map(next)),
  );
  const columns = Array.from({ length: parts }, (_, index) => index);
  const arrays = columns.map((index) =>
    parameters.add(
      found.groups.map((group) => group[index] ?? null),
      'text[]',
    ),
  );
  const grouped = `
      SELECT ${selected(named(groups, aggregates))}
      FROM unnest(${arrays.join(', ')}) AS g(${columns.map((index) => `p${String(index)}`).join(', ')})`;
  const total = parameters.add(found.total, 'bigint');
  return printingSql(request, maxBytes, parameters, { grouped, total, groups, aggregates });
}

interface NamedResult extends Result {
  /** Name in the statement. */
  readonly column: string;
}

function named(groups: readonly Result[], aggregates: readonly Result[]): NamedResult[] {
  return [
    ...groups.map((result, index) => ({ ...result, column: `k${String(index)}` })),
    ...aggregates.map((result, index) => ({ ...result, column: `a${String(index)}` })),
  ];
}

const selected = (results: readonly NamedResult[]): string =>
  results.map(({ sql, column }) => `${sql} AS ${column}`).join(', ');

/** Groups, before they are ordered. */
interface Grouped {
  /** A SELECT of the results, by their names. */
  readonly grouped: string;
  /** SQL of the number of groups. */
  readonly total: string;
  readonly groups: readonly Result[];
  readonly aggregates: readonly Result[];
}

function printingSql(
  request: AggregateRequest,
  maxBytes: number,
  parameters: SqlParameters,
  { grouped, total, groups, aggregates }: Grouped,
): AggregateStatement {
  const results = named(groups, aggregates);
  const limit = parameters.add(request.limit, 'bigint');
  const bytes = parameters.add(maxBytes, 'bigint');
  const member = ({ name, column, print }: NamedResult): string => {
    const key = parameters.add(`${JSON.stringify(name)}:`, 'text');
    return `${key} || coalesce(to_json(${PRINTED[print](column)})::text, 'null')`;
  };
  const object = (members: readonly NamedResult[]): string =>
    members.length === 0 ? `'{}'` : `'{' || ${members.map(member).join(` || ',' || `)} || '}'`;
  const sizes = results
    .filter(({ print }) => print === 'text' || print === 'written')
    .map(({ column, print }) => `coalesce(octet_length(${PRINTED[print](column)}), 0)`);
  const text = `
    WITH grouped AS (${grouped}
    ), page AS (
      SELECT g.*, sum(${['0', ...sizes].join(' + ')})
        OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) AS text_bytes
      FROM (
        SELECT *, row_number() OVER (ORDER BY ${orderSql(request)}) AS n, ${total} AS total
        FROM grouped ORDER BY n LIMIT ${limit}
      ) g
    )
    SELECT c.revision, c.schema_version, p.total, p.json
    FROM datagrids d
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    CROSS JOIN LATERAL (
      SELECT coalesce(max(total), 0) AS total,
        CASE WHEN bool_and(json IS NOT NULL) IS NOT FALSE AND coalesce(max(bytes), 0) <= ${bytes}
          THEN '[' || coalesce(string_agg(CASE WHEN bytes <= ${bytes} THEN json END, ','
            ORDER BY n), '') || ']' END AS json
      FROM (
        SELECT n, total, json,
          1 + sum(octet_length(json) + 1) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) AS bytes
        FROM (
          SELECT n, total, CASE WHEN text_bytes <= ${bytes} THEN
            '{"group":' || ${object(results.slice(0, groups.length))} || ',"values":'
            || ${object(results.slice(groups.length))} || '}' END AS json
          FROM page OFFSET 0
        ) printed
      ) s
    ) p
    WHERE d.id = $1 AND d.account_id = $2 AND d.deleted_at IS NULL AND c.schema_version = $3`;
  return { text, values: parameters.values };
}

interface Results {
  /** Values that are read of each row `r`, named `v0`, `v1` and so on: first those of the groups. */
  readonly values: readonly string[];
  readonly groups: readonly Result[];
  readonly aggregates: readonly Result[];
}

function resultsOf({ groupBy, aggregates }: AggregateRequest, parameters: SqlParameters): Results {
  const values = groupBy.map(
    (key, index) => `${groupValueSql(key, parameters)} AS v${String(index)}`,
  );
  const named = (read: typeof valueSql): ((column: QueryColumn) => string) => {
    const names = new Map<QueryColumn, string>();
    return (column) => {
      const name = names.get(column) ?? `v${String(values.length)}`;
      if (!names.has(column)) values.push(`${read(column, parameters)} AS ${name}`);
      names.set(column, name);
      return `s.${name}`;
    };
  };
  const valueOf = named(valueSql);
  const writtenOf = named(writtenTextSql);
  return {
    groups: groupBy.map((key, index) => groupResult(key, `s.v${String(index)}`, writtenOf)),
    aggregates: aggregates.map((aggregate) => aggregateResult(aggregate, valueOf, writtenOf)),
    values: values.length === 0 ? ['1 AS v0'] : values,
  };
}

/** Returns the value by which row `r` is grouped. */
function groupValueSql({ column, bucket }: GroupKey, parameters: SqlParameters): string {
  const value = valueSql(column, parameters);
  return bucket === null ? value : `(${FIRST_DAY[bucket](value)}) COLLATE "C"`;
}

const truncated =
  (period: 'week' | 'quarter') =>
  (value: string): string =>
    `to_char(date_trunc('${period}', left(${value}, 10)::date::timestamp), 'YYYY-MM-DD')`;

/** First day of the period of a date or of a time in UTC. Both are stored as ISO 8601 text. */
const FIRST_DAY: Readonly<Record<DateBucket, (value: string) => string>> = {
  day: (value) => `left(${value}, 10)`,
  week: truncated('week'),
  month: (value) => `left(${value}, 7) || '-01'`,
  quarter: truncated('quarter'),
  year: (value) => `left(${value}, 4) || '-01-01'`,
};

/** Returns the SQL of a value in each row of a group. */
type ValueOf = (column: QueryColumn) => string;

function groupResult({ column, name, bucket }: GroupKey, value: string, written: ValueOf): Result {
  if (bucket !== null) return { name, sql: value, print: 'text' };
  if (!ignoresCase(column)) return { name, ...valueResult(column, value, value) };
  // Of the values of the group, which differ in case, the first by code point.
  return { name, sql: bothTexts(value, `min(${written(column)})`), print: 'written' };
}

function aggregateResult(
  { name, function: applied, column }: Aggregate,
  valueOf: ValueOf,
  writtenOf: ValueOf,
): Result {
  if (!column) return { name, sql: 'count(*)', print: 'json' };
  const value = valueOf(column);
  switch (applied) {
    case 'count':
      return { name, sql: `count(${value})`, print: 'json' };
    case 'countDistinct':
      return { name, sql: `count(DISTINCT ${value})`, print: 'json' };
    case 'sum': {
      const sum = `sum(${value})`;
      const isDecimal = COLUMN_TYPES[column.type].isDecimalText;
      return { name, sql: isDecimal ? sum : `trim_scale(${sum})`, print: 'decimal' };
    }
    case 'avg':
      return { name, sql: `trim_scale(avg(${value}))`, print: 'decimal' };
    case 'min':
    case 'max':
      if (ignoresCase(column)) {
        const texts = bothTexts(value, writtenOf(column));
        return { name, sql: `${applied}(${texts})`, print: 'written' };
      }
      return { name, ...valueResult(column, `${applied}(${value})`, value) };
  }
}

/** Returns the array of a `written` result; NULL if there is no value. */
const bothTexts = (folded: string, written: string): string =>
  `CASE WHEN ${folded} IS NOT NULL THEN ARRAY[${folded}, ${written}] END`;

/**
 * Returns a value of a column as in a row. Equal decimals may have different numbers of digits, so
 * the result has as many after the point as the value of the group with the most, as far as a
 * decimal can have them: a client must be able to filter by the result.
 */
function valueResult(
  { type }: QueryColumn,
  sql: string,
  value: string,
): Pick<Result, 'sql' | 'print'> {
  if (COLUMN_TYPES[type].isDecimalText) {
    return { sql: rounded(sql, `max(scale(${value}))`), print: 'decimal' };
  }
  if (type === 'boolean') return { sql, print: 'boolean' };
  return { sql, print: isComparedAsNumber(type) ? 'json' : 'text' };
}

/** Rounds a decimal to a number of digits after the point, as far as a decimal can have them. */
const rounded = (number: string, scale: string): string =>
  `round(${number}, least(${scale}, ${String(MAX_DIGITS)} - ${wholeDigits(number)}))`;

/** Returns SQL for the number of digits before the point. A single zero is not counted. */
const wholeDigits = (number: string): string =>
  `CASE WHEN abs(${number}) < 1 THEN 0 ELSE length(trunc(abs(${number}))::text) END`;

/** Prints a group that a copy has found. @param parts SQL of its parts. */
function foundGroup(
  { column, name, bucket }: GroupKey,
  [value = '', other = '']: string[],
): Result {
  if (bucket !== null) return { name, sql: `${value} COLLATE "C"`, print: 'text' };
  return { name, ...foundValue(column, value, other) };
}

/** The same for an aggregate. */
function foundAggregate(
  { name, function: applied, column }: Aggregate,
  [value = '', other = '', count = '']: string[],
): Result {
  if (!column || applied === 'count' || applied === 'countDistinct') {
    return { name, sql: `${value}::bigint`, print: 'json' };
  }
  switch (applied) {
    case 'sum': {
      const isDecimal = COLUMN_TYPES[column.type].isDecimalText;
      const sum = `${value}::numeric`;
      const sql = isDecimal ? `round(${sum}, ${other}::int)` : `trim_scale(${sum})`;
      return { name, sql, print: 'decimal' };
    }
    case 'avg': {
      // As `avg` divides: the digits of the result depend on those of the sum.
      const sum = `round(${value}::numeric, ${other}::int)`;
      return { name, sql: `trim_scale(${sum} / ${count}::numeric)`, print: 'decimal' };
    }
    case 'min':
    case 'max':
      return { name, ...foundValue(column, value, other) };
  }
}

/** @param other SQL of the text as written, or of the number of digits after the point. */
function foundValue(
  column: QueryColumn,
  value: string,
  other: string,
): Pick<Result, 'sql' | 'print'> {
  const { type } = column;
  if (ignoresCase(column)) {
    return { sql: bothTexts(`${value} COLLATE "C"`, `${other} COLLATE "C"`), print: 'written' };
  }
  if (COLUMN_TYPES[type].isDecimalText) {
    const number = `${value}::numeric`;
    return { sql: rounded(number, `${other}::int`), print: 'decimal' };
  }
  if (isComparedAsNumber(type)) return { sql: `trim_scale(${value}::numeric)`, print: 'json' };
  return { sql: `${value} COLLATE "C"`, print: type === 'boolean' ? 'boolean' : 'text' };
}

function orderSql({ sort }: AggregateRequest): string {
  const keys = sort.map(({ kind, index, isDescending }) => {
    const column = `${kind === 'group' ? 'k' : 'a'}${String(index)}`;
    return `${column}${isDescending ? ' DESC' : ''} NULLS LAST`;
  });
  return keys.length === 0 ? 'true' : keys.join(', ');
}
