import type { JsonValue } from '../common/json/token-reader';
import { ignoresCase } from '../datagrids/column-type/column-type';
import type { OperatorGroup } from '../datagrids/column-type/descriptor';
import { literal } from '../destinations/duckdb/duckdb-sql';
import { OPERATORS } from '../rows/query/filter/operators';
import { type ColumnFilter, type Filter, isEveryRow } from '../rows/query/filter/parse-filter';
import { textOf } from '../rows/query/filter/value-sql';
import type { QueryColumn } from '../rows/query/query-column';
import type { MatchRequest } from '../rows/query/query-request';
import {
  comparedValue,
  type CopyTable,
  type CopyValue,
  foldedValue,
  NotServedError,
  writtenValue,
} from './copy-table';
import { compareExactly, compareInteger } from './exact-number';

/** Returns a text in lower case, as PostgreSQL does it. */
export type Fold = (text: string) => string;

/** A table, and what operands become in lower case. */
export interface FilterContext {
  readonly table: CopyTable;
  readonly fold: Fold;
}

type Condition = (
  context: FilterContext,
  column: QueryColumn,
  operands: readonly JsonValue[],
) => string;

const compares =
  (sign: string): Condition =>
  (context, column, [operand]) =>
    compareSql(context, column, sign, operand);

const equalsAny: Condition = (context, column, operands) => {
  const equal = operands.map((operand) => compareSql(context, column, '=', operand));
  const found = equal.filter((condition) => condition !== 'false');
  return found.length === 0 ? 'false' : `(${found.join(' OR ')})`;
};

const not =
  (condition: Condition): Condition =>
  (...given) =>
    negated(condition(...given));

const negated = (condition: string): string => `NOT coalesce((${condition}), false)`;

const hasAny: Condition = ({ table }, column, operands) => {
  const { sql, kind } = writtenValue(table, column);
  const items = operands.map((operand) => itemSql(kind, operand));
  return items.length === 0 ? 'false' : `list_has_any(${sql}, [${items.join(', ')}])`;
};

/** Conditions by the names of the operators. Each is true for the rows that match. */
const CONDITIONS: Readonly<Record<OperatorGroup, Readonly<Record<string, Condition>>>> = {
  equality: {
    $eq: compares('='),
    $ne: not(compares('=')),
    $in: equalsAny,
    $nin: not(equalsAny),
  },
  presence: {
    $isNull: ({ table }, column, [isNull]) => {
      if (column.attribute) return isNull === true ? 'false' : 'true';
      const { sql, kind } = writtenValue(table, column);
      const has = kind === 'presence' ? sql : `${sql} IS NOT NULL`;
      return isNull === true ? `NOT (${has})` : has;
    },
  },
  order: {
    $gt: compares('>'),
    $gte: compares('>='),
    $lt: compares('<'),
    $lte: compares('<='),
  },
  search: {
    $contains: (context, column, [operand]) => containsSql(context, column, textOf(operand)),
    $startsWith: (context, column, [operand]) =>
      `starts_with(${textSql(context, column)}, ${quoted(operandText(context, column, operand))})`,
    $endsWith: (context, column, [operand]) =>
      `ends_with(${textSql(context, column)}, ${quoted(operandText(context, column, operand))})`,
  },
  choice: { $contains: hasAny, $containsAny: hasAny },
  linked: { $contains: hasAny, $containsAny: hasAny },
};

const BY_OPERATOR = new Map(
  (Object.keys(OPERATORS) as OperatorGroup[]).flatMap((group) =>
    OPERATORS[group].map((operator) => [operator, CONDITIONS[group][operator.name]] as const),
  ),
);

/**
 * Returns the conditions of which all must be true.
 * @throws NotServedError
 */
export function conditionsSql(request: MatchRequest, context: FilterContext): string[] {
  const { filter, search, searched } = request;
  const conditions = isEveryRow(filter) ? [] : [filterSql(filter, context)];
  if (search === null) return conditions;
  const hits = searched.map((column) => containsSql(context, column, search));
  return [...conditions, hits.length === 0 ? 'false' : `(${hits.join(' OR ')})`];
}

function filterSql(filter: Filter, context: FilterContext): string {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      if (filter.parts.length === 0) return filter.kind === 'and' ? 'true' : 'false';
      const parts = filter.parts.map((part) => filterSql(part, context));
      return `(${parts.join(filter.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
    case 'not':
      return negated(filterSql(filter.part, context));
    case 'linked': {
      if (filter.ids.length === 0) return 'false';
      const { sql, kind } = writtenValue(context.table, filter.column);
      const ids = filter.ids.map((id) => `${String(id)}::BIGINT`).join(', ');
      return kind === 'ids' ? `list_has_any(${sql}, [${ids}])` : `${sql} IN (${ids})`;
    }
    case 'column':
      return columnSql(filter, context);
  }
}

function columnSql({ column, operator, operands }: ColumnFilter, context: FilterContext): string {
  const condition = BY_OPERATOR.get(operator);
  if (!condition) throw new NotServedError(`it does not know ${operator.name}`);
  return condition(context, column, operands);
}

/** Returns an operand as text, in lower case if the column ignores case. */
function operandText({ fold }: FilterContext, column: QueryColumn, operand: unknown): string {
  const text = textOf(operand);
  return ignoresCase(column) ? fold(text) : text;
}

/** Compares the values of a column with one in the form in which values are stored. */
export function compareSql(
  context: FilterContext,
  column: QueryColumn,
  sign: string,
  operand: unknown,
): string {
  const value = comparedValue(context.table, column);
  return compareValueSql(value, sign, operandText(context, column, operand));
}

function compareValueSql({ sql, kind, decimal }: CopyValue, sign: string, text: string): string {
  switch (kind) {
    case 'integer':
    case 'decimal': {
      const compared = decimal
        ? compareExactly(sql, decimal, sign, text)
        : compareInteger(sql, sign, text);
      if (compared === null) throw new NotServedError('an operand is no number');
      if (typeof compared === 'string') return compared;
      return compared ? `${sql} IS NOT NULL` : 'false';
    }
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw new NotServedError('an operand is no boolean');
      return `${sql} ${sign} ${text}`;
    case 'date':
      return `${sql} ${sign} ${timeSql(DATE, 'DATE', text)}`;
    case 'datetime':
      return `${sql} ${sign} ${timeSql(DATETIME, 'TIMESTAMP', text)}`;
    case 'text':
      return `${sql} ${sign} ${quoted(text)}`;
    case 'double':
    case 'texts':
    case 'ids':
    case 'json':
    case 'presence':
      throw new NotServedError('values of the column are not compared');
  }
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const DATETIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Cursors can have any text. */
function timeSql(form: RegExp, type: 'DATE' | 'TIMESTAMP', text: string): string {
  const time = new Date(text);
  // Some days that do not exist are read as those of the next month.
  const isTime =
    form.test(text) &&
    !Number.isNaN(time.getTime()) &&
    time.toISOString().startsWith(text.slice(0, 10));
  if (!isTime) throw new NotServedError('an operand is no time');
  return `${type} ${literal(text.replace('T', ' ').replace('Z', ''))}`;
}

function textSql({ table }: FilterContext, column: QueryColumn): string {
  const { sql, kind } = comparedValue(table, column);
  if (kind !== 'text') throw new NotServedError('values of the column are not texts');
  return sql;
}

function containsSql({ table, fold }: FilterContext, column: QueryColumn, needle: string): string {
  return `contains(${foldedValue(table, column).sql}, ${quoted(fold(needle))})`;
}

/** Neither PostgreSQL nor a statement of DuckDB takes every text of JavaScript. */
function quoted(text: string): string {
  if (text.includes('\0') || /\p{Surrogate}/u.test(text))
    throw new NotServedError('an operand is no text');
  return literal(text);
}

function itemSql(kind: CopyValue['kind'], operand: JsonValue): string {
  const text = textOf(operand);
  if (kind === 'texts') return quoted(text);
  if (kind !== 'ids' || !/^\d{1,16}$/.test(text)) throw new NotServedError('an operand is no id');
  return `${text}::BIGINT`;
}

/** Texts of a query in lower case. PostgreSQL folds those that are not ASCII. */
export class FoldedTexts {
  private readonly texts = new Set<string>();
  private readonly foldedBy = new Map<string, string>();

  /** The texts that PostgreSQL has to fold. */
  get list(): readonly string[] {
    return [...this.texts];
  }

  /** Notes a text that will be needed. */
  readonly collect = (text: string): string => {
    if (!isAscii(text)) this.texts.add(text);
    return text;
  };

  /** Returns a text in lower case. */
  readonly fold = (text: string): string =>
    isAscii(text) ? text.toLowerCase() : (this.foldedBy.get(text) ?? text);

  /** @param folded The texts of `list` in lower case. */
  set(folded: readonly string[]): void {
    for (const [index, text] of this.list.entries()) {
      this.foldedBy.set(text, folded[index] ?? text);
    }
  }
}

function isAscii(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) > 0x7f) return false;
  }
  return true;
}
