import type { JsonValue } from '../../../common/json/token-reader';
import { codePointLength } from '../../../common/text/id';
import {
  ignoresCase,
  COLUMN_TYPE_NAMES,
  COLUMN_TYPES,
  type ColumnType,
} from '../../../datagrids/column-type/column-type';
import type { OperatorGroup } from '../../../datagrids/column-type/descriptor';
import { MAX_INDEXED_CHARACTERS } from '../../storage/index-entries-sql';
import type { QueryColumn } from '../query-column';
import {
  containsSql,
  operandSql,
  operandsSql,
  type SqlParameters,
  textOf,
  valueSql,
} from './value-sql';

/**
 * Cost of `$contains` on text, and of `q`: up to 60 ms on a row of 1 MB, of which up to 40 ms
 * cannot be cancelled.
 */
export const TEXT_SEARCH_COST = 10;

/** Cost of `$endsWith`: 9 ms on a row of 1 MB, because PostgreSQL counts the characters of the text. */
const TEXT_END_COST = 3;

/** Returns a condition. A row matches if it is true, but not if it is false or NULL. */
type ConditionSql = (
  column: QueryColumn,
  operands: readonly JsonValue[],
  parameters: SqlParameters,
) => string;

/** A filter operator: how it is parsed, what it costs, and its SQL. */
export interface Operator {
  /** Name in a filter. */
  readonly name: `$${string}`;
  /** Describes the rows that match, for clients: "rows whose value …". */
  readonly description: string;
  /** One value, a list of values, or a boolean. */
  readonly operand: 'value' | 'values' | 'flag';
  /** Whether it searches in texts. The length of the operand is then limited. */
  readonly limitsOperandLength: boolean;
  /** Cost of a condition for each row, in comparisons of one value. */
  readonly cost: number;
  /** Condition on row `r`. */
  readonly sql: ConditionSql;
  /** Condition on index entry `e` that its primary key serves; `null` if it can serve none. */
  readonly index: OperatorIndex | null;
}

/** An operator that an index can serve. */
export type IndexOperator = Operator & { readonly index: OperatorIndex };

interface OperatorIndex {
  /** Expected selectivity: higher is better. */
  readonly selectivity: number;
  readonly sql: ConditionSql;
}

/** SQL of an operator that compares a value with its operand. */
function comparison(sign: string, selectivity: number): Pick<Operator, 'sql' | 'index'> {
  const compare =
    (valueOf: (column: QueryColumn, parameters: SqlParameters) => string): ConditionSql =>
    (column, [operand], parameters) =>
      `${valueOf(column, parameters)} ${sign} ${operandSql(column, operand, parameters)}`;
  const sql: ConditionSql = (column, operands, parameters) =>
    isStoredAsNumber(column)
      ? numberSql(column, sign, operands, parameters)
      : compare(valueSql)(column, operands, parameters);
  return { sql, index: { selectivity, sql: compare(() => 'e.value') } };
}

/** Returns whether the values of a column are JSON numbers, which PostgreSQL stores as `numeric`. */
const isStoredAsNumber = ({ type, attribute }: QueryColumn): boolean =>
  attribute === undefined && COLUMN_TYPES[type].jsonType === 'number';

/**
 * Compares a JSON number where it is stored. To read its text and cast it takes 1.5 times as long. The
 * condition is false for a row without a value.
 */
function numberSql(
  { slot }: QueryColumn,
  sign: string,
  [operand]: readonly JsonValue[],
  parameters: SqlParameters,
): string {
  const name = JSON.stringify(slot);
  return sign === '='
    ? `r."values" @> ${parameters.add(`{${name}:${textOf(operand)}}`, 'jsonb')}`
    : `r."values" @@ ${parameters.add(`$.${name} ${sign} ${textOf(operand)}`, 'jsonpath')}`;
}

/** Properties of most operators. */
const DEFAULTS = { operand: 'value', limitsOperandLength: false, cost: 1, index: null } as const;

/** The filter operators. A column type supports some of the groups. */
export const OPERATORS: Readonly<Record<OperatorGroup, readonly Operator[]>> = {
  equality: [
    { ...DEFAULTS, name: '$eq', description: 'is equal', ...comparison('=', 3) },
    {
      ...DEFAULTS,
      name: '$ne',
      description: 'is not equal',
      sql: (column, [operand], parameters) =>
        isStoredAsNumber(column)
          ? `NOT (${numberSql(column, '=', [operand ?? null], parameters)})`
          : `${valueSql(column, parameters)} IS DISTINCT FROM ${operandSql(column, operand, parameters)}`,
    },
    {
      ...DEFAULTS,
      name: '$in',
      description: 'is one of up to 1,000 values',
      operand: 'values',
      sql: isAnySql,
      index: {
        selectivity: 2,
        sql: (column, operands, parameters) =>
          `e.value = ANY(${operandsSql(column, operands, parameters)})`,
      },
    },
    {
      ...DEFAULTS,
      name: '$nin',
      description: 'is not one of up to 1,000 values',
      operand: 'values',
      sql: (...condition) => `(${isAnySql(...condition)}) IS NOT TRUE`,
    },
  ],
  presence: [
    {
      ...DEFAULTS,
      name: '$isNull',
      description: 'is absent (`true`) or present (`false`)',
      operand: 'flag',
      sql: ({ slot, attribute }, [isNull], parameters) => {
        const has = attribute ? 'true' : `r."values" ? ${parameters.add(slot, 'text')}`;
        return isNull === true ? `NOT (${has})` : has;
      },
    },
  ],
  order: [
    { ...DEFAULTS, name: '$gt', description: 'is greater', ...comparison('>', 1) },
    { ...DEFAULTS, name: '$gte', description: 'is greater or equal', ...comparison('>=', 1) },
    { ...DEFAULTS, name: '$lt', description: 'is less', ...comparison('<', 1) },
    { ...DEFAULTS, name: '$lte', description: 'is less or equal', ...comparison('<=', 1) },
  ],
  search: [
    {
      ...DEFAULTS,
      name: '$contains',
      description: 'contains a text of up to 256 characters, ignoring case',
      limitsOperandLength: true,
      cost: TEXT_SEARCH_COST,
      sql: (column, [operand], parameters) =>
        containsSql(valueSql(column, parameters), operandSql(column, operand, parameters)),
    },
    {
      ...DEFAULTS,
      name: '$startsWith',
      description: 'starts with the text',
      sql: (column, [operand], parameters) =>
        `starts_with(${valueSql(column, parameters)}, ${operandSql(column, operand, parameters)})`,
      index: { selectivity: 1, sql: prefixRangeSql },
    },
    {
      ...DEFAULTS,
      name: '$endsWith',
      description: 'ends with the text',
      cost: TEXT_END_COST,
      sql: (column, [operand], parameters) => {
        // Lower case can have more characters.
        const length = ignoresCase(column)
          ? `char_length(${operandSql(column, operand, parameters)})`
          : parameters.add(codePointLength(textOf(operand)), 'integer');
        return `right(${valueSql(column, parameters)}, ${length}) = ${operandSql(column, operand, parameters)}`;
      },
    },
  ],
  choice: [
    {
      ...DEFAULTS,
      name: '$contains',
      description: 'has the choice',
      sql: ({ slot }, [operand], parameters) => {
        const list = `r."values" -> ${parameters.add(slot, 'text')}`;
        return `(${list}) ? ${parameters.add(operand, 'text')}`;
      },
    },
    {
      ...DEFAULTS,
      name: '$containsAny',
      description: 'has at least one of up to 1,000 choices',
      operand: 'values',
      sql: ({ slot }, operands, parameters) => {
        const list = `r."values" -> ${parameters.add(slot, 'text')}`;
        return `(${list}) ?| ${parameters.add(operands.map(String), 'text[]')}`;
      },
    },
  ],
  linked: [
    {
      ...DEFAULTS,
      name: '$contains',
      description: 'has the id of a row',
      sql: ({ slot }, [operand], parameters) => {
        const list = `r."values" -> ${parameters.add(slot, 'text')}`;
        return `(${list}) @> ${parameters.add(textOf(operand), 'jsonb')}`;
      },
    },
    {
      ...DEFAULTS,
      name: '$containsAny',
      description: 'has at least one of up to 1,000 ids of rows',
      operand: 'values',
      sql: ({ slot }, operands, parameters) => {
        const list = `r."values" -> ${parameters.add(slot, 'text')}`;
        return `(${list}) @> ANY(${parameters.add(operands.map(String), 'jsonb[]')})`;
      },
    },
  ],
};

const BY_TYPE = new Map(
  COLUMN_TYPE_NAMES.map((type) => {
    const operators = COLUMN_TYPES[type].operators.flatMap((group) => OPERATORS[group]);
    return [type, new Map(operators.map((operator) => [operator.name as string, operator]))];
  }),
);

/** Returns the operators that a column type supports, by name. */
export function operatorsOf(type: ColumnType): ReadonlyMap<string, Operator> {
  return BY_TYPE.get(type) ?? new Map<string, Operator>();
}

function isAnySql(...[column, operands, parameters]: Parameters<ConditionSql>): string {
  const value = valueSql(column, parameters);
  return `${value} = ANY(${operandsSql(column, operands, parameters)})`;
}

function prefixRangeSql(...[column, [operand], parameters]: Parameters<ConditionSql>): string {
  const from = `e.value >= ${operandSql(column, operand, parameters)}`;
  if (ignoresCase(column)) {
    // The text of an entry that starts with the operand is at most as long as this one.
    const rest = `repeat(chr(${String(LAST_CODE_POINT)}), ${String(MAX_INDEXED_CHARACTERS)})`;
    return `${from} AND e.value <= ${operandSql(column, operand, parameters)} || ${rest}`;
  }
  const end = prefixUpperBound(textOf(operand));
  return end === null ? from : `${from} AND e.value < ${operandSql(column, end, parameters)}`;
}

const LAST_CODE_POINT = 0x10ffff;
const LAST_CHARACTER = '\u{10ffff}';

/**
 * Returns the first text, by code point, after all that start with `prefix`; `null` for none. Reads
 * only the end of the prefix, which may be long.
 */
export function prefixUpperBound(prefix: string): string | null {
  let end = prefix.length;
  while (prefix.startsWith(LAST_CHARACTER, end - 2) && end >= 2) end -= 2;
  if (end === 0) return null;
  const isPair = end > 1 && (prefix.codePointAt(end - 2) ?? 0) > 0xffff;
  const start = end - (isPair ? 2 : 1);
  const last = prefix.codePointAt(start) ?? 0;
  // Skips the surrogate code points, which are not characters.
  const next = last === 0xd7ff ? 0xe000 : last + 1;
  return prefix.slice(0, start) + String.fromCodePoint(next);
}
