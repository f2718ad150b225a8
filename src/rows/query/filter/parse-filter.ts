import { invalidField } from '../../../common/error/app-error';
import type { JsonValue } from '../../../common/json/token-reader';
import { codePointLength } from '../../../common/text/id';
import { COLUMN_TYPES, isLink } from '../../../datagrids/column-type/column-type';
import { type Checked, reject } from '../../../datagrids/column-type/descriptor';
import type { DatagridSchema } from '../../../datagrids/schema/datagrid-schema';
import { ATTRIBUTE_NAMES, findQueryColumn, type QueryColumn } from '../query-column';
import { type Operator, operatorsOf } from './operators';

/** Maximum nesting depth of conditions. */
export const MAX_DEPTH = 8;
/** Maximum number of conditions in a filter. */
export const MAX_CONDITIONS = 100;
/** Maximum number of operands of `$in` and `$nin`. */
export const MAX_OPERANDS = 1_000;

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads a filter such as `{"status":"paid","amount":{"$gte":10},"$or":[…]}`, and checks it against
 * the columns. An empty filter matches every row. An empty part of a filter is rejected.
 * @param path Path of the filter in the request. Errors name the path of the invalid part below it.
 * @throws AppError `invalid_request`
 */
export function parseFilter(schema: DatagridSchema, json: unknown, path = 'filter'): Filter {
  return new FilterParser(schema).condition(json, path, 1);
}

class FilterParser {
  private conditions = 0;

  constructor(private readonly schema: DatagridSchema) {}

  condition(json: unknown, path: string, depth: number): Filter {
    if (depth > MAX_DEPTH)
      throw invalidField(
        path,
        'too_deep',
        `must not be nested deeper than ${String(MAX_DEPTH)} levels`,
      );
    const conditions = Object.entries(members(json, path));
    // An empty filter is a request for all rows. An empty part of one may be a client's mistake.
    if (conditions.length === 0 && depth > 1) throw rejectedEmpty(path);
    const parts = conditions.map(([name, value]): Filter => {
      const partPath = `${path}.${name}`;
      if (name === '$and' || name === '$or') {
        const kind = name === '$and' ? 'and' : 'or';
        return { kind, parts: this.list(value, partPath, depth) };
      }
      if (name === '$not') return { kind: 'not', part: this.condition(value, partPath, depth + 1) };
      return this.parseColumn(name, value, partPath);
    });
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind: 'and', parts };
  }

  private list(json: unknown, path: string, depth: number): Filter[] {
    if (!Array.isArray(json) || json.length === 0) {
      throw invalidField(path, 'wrong_type', 'must be an array of at least one condition');
    }
    return json.map((part, index) => this.condition(part, `${path}.${String(index)}`, depth + 1));
  }

  private parseColumn(key: string, json: unknown, path: string): Filter {
    if (key.startsWith('$'))
      throw invalidField(path, 'unknown_operator', 'must be $and, $or, $not or a column');
    const column = findQueryColumn(this.schema, key);
    if (!column) {
      rejectComputed(this.schema, key, path);
      const message = key.startsWith('_')
        ? `is not a row attribute; expected one of: ${ATTRIBUTE_NAMES}`
        : 'is not a column of this datagrid';
      throw invalidField(path, 'unknown_column', message);
    }
    if (!isOperators(json)) return this.parseOperator(column, '$eq', json, path);
    const operators = Object.entries(json);
    if (operators.length === 0) throw rejectedEmpty(path);
    const parts = operators.map(([name, operand]) =>
      this.parseOperator(column, name, operand, `${path}.${name}`),
    );
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind: 'and', parts };
  }

  private parseOperator(
    column: QueryColumn,
    name: string,
    operand: unknown,
    path: string,
  ): ColumnFilter | LinkedFilter {
    this.conditions += 1;
    if (this.conditions > MAX_CONDITIONS) {
      throw invalidField(
        path,
        'too_many',
        `exceeds the maximum of ${String(MAX_CONDITIONS)} conditions`,
      );
    }
    if (name === ROW_OPERATOR && isLink(column.type)) return linkedFilter(column, operand, path);
    const supported = operatorsOf(column.type);
    const operator = supported.get(name);
    if (!operator) {
      const names = [...supported.keys()].join(', ');
      const message = `must be one of ${names} for columns of type ${column.type}`;
      throw invalidField(path, 'unknown_operator', message);
    }
    const operands = operandsOf(column, operator, operand, path);
    if (operator.limitsOperandLength && operands.some(isTooLongToSearch)) {
      throw invalidField(path, 'out_of_range', SEARCH_LENGTH_MESSAGE);
    }
    return { kind: 'column', column, operator, operands };
  }
}

/** @throws AppError `invalid_request` if values of the column are computed. */
function rejectComputed({ computed }: DatagridSchema, key: string, path: string): void {
  const column = computed.get(key);
  if (!column) return;
  const message =
    column.type === 'lookup'
      ? 'is computed; filter by the linked rows with $row of the link column instead'
      : 'is computed, and cannot be filtered by';
  throw invalidField(path, 'incompatible_parameters', message);
}

/** Returns a condition whose linked rows are already known. Other requests cannot find them. */
function linkedFilter(column: QueryColumn, operand: unknown, path: string): LinkedFilter {
  if (operand instanceof LinkedRowIds) return { kind: 'linked', column, ids: operand.ids };
  if (Object.keys(members(operand, path)).length === 0) throw rejectedEmpty(path);
  const message =
    'is supported only in lists, queries and aggregates of rows, and cannot be nested';
  throw invalidField(path, 'unknown_operator', message);
}

/**
 * Returns whether a value is a JSON object: for a column, one of operators. Other values are
 * operands.
 */
function isOperators(json: unknown): json is Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function operandsOf(
  column: QueryColumn,
  { operand: kind }: Operator,
  operand: unknown,
  path: string,
): readonly JsonValue[] {
  switch (kind) {
    case 'value':
      return [parseOperand(column, operand, path)];
    case 'values':
      return parseOperandList(column, operand, path);
    case 'flag':
      return [parseBooleanOperand(operand, path)];
  }
}

function parseOperand(column: QueryColumn, operand: unknown, path: string): JsonValue {
  const checked = checkOperand(column, operand);
  if (!checked.ok) throw invalidField(path, checked.code, checked.message);
  return checked.value;
}

function parseOperandList(column: QueryColumn, operands: unknown, path: string): JsonValue[] {
  if (!Array.isArray(operands))
    throw invalidField(path, 'wrong_type', 'must be an array of values');
  if (operands.length > MAX_OPERANDS) {
    throw invalidField(
      path,
      'too_many',
      `must not contain more than ${String(MAX_OPERANDS)} values`,
    );
  }
  return operands.map((operand, index) =>
    parseOperand(column, operand, `${path}.${String(index)}`),
  );
}

function parseBooleanOperand(operand: unknown, path: string): boolean {
  if (typeof operand === 'boolean') return operand;
  throw invalidField(path, 'wrong_type', 'must be true or false');
}

function members(json: unknown, path: string): Members {
  if (isOperators(json)) return json;
  throw invalidField(path, 'wrong_type', 'must be a JSON object');
}

function rejectedEmpty(path: string): Error {
  return invalidField(path, 'required', 'must contain at least one condition');
}

/** Operator of link columns whose operand is a filter on the linked rows. */
export const ROW_OPERATOR = '$row';

/**
 * The linked rows that a `$row` condition matches. Only the service creates it, in place of the operand
 * that the client sent.
 */
export class LinkedRowIds {
  constructor(readonly ids: readonly number[]) {}

  /** The ids are part of what the ETag of a response depends on. */
  toJSON(): readonly number[] {
    return this.ids;
  }
}

/** A condition on one column. A row without a value matches only `$isNull: true`, `$ne` and `$nin`. */
export interface ColumnFilter {
  readonly kind: 'column';
  readonly column: QueryColumn;
  readonly operator: Operator;
  /** Operands, in the form in which values are stored. Only a list can have several, or none. */
  readonly operands: readonly JsonValue[];
}

/** The condition that a link column has one of these rows. */
export interface LinkedFilter {
  readonly kind: 'linked';
  readonly column: QueryColumn;
  readonly ids: readonly number[];
}

/** A condition on rows. An empty `and` matches every row; an empty `or` matches none. */
export type Filter =
  | ColumnFilter
  | LinkedFilter
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter };

/** The filter that matches every row. */
export const EVERY_ROW: Filter = { kind: 'and', parts: [] };

export function isEveryRow(filter: Filter): boolean {
  return filter.kind === 'and' && filter.parts.length === 0;
}

/**
 * Checks an operand against its column, and converts it to the form in which values are stored. For
 * a column with a `checkOperand` of its own, such as `email`, a part of a value is valid too. A `decimal` can also
 * be compared with a number. A choice must be one of the column's choices.
 */
function checkOperand({ type, options, check }: QueryColumn, operand: unknown): Checked {
  if (operand === null) return reject('wrong_type', 'must not be null; use $isNull');
  const checkAsOperand = COLUMN_TYPES[type].checkOperand;
  return checkAsOperand ? checkAsOperand(operand, options) : check(operand);
}

/** Maximum length of an operand of `$contains` on text, and of `q`, in Unicode code points. */
export const MAX_SEARCH_CHARACTERS = 256;

export const SEARCH_LENGTH_MESSAGE = `must have at most ${String(MAX_SEARCH_CHARACTERS)} characters`;

/** Returns whether a text exceeds MAX_SEARCH_CHARACTERS. */
export function isTooLongToSearch(operand: unknown): boolean {
  return typeof operand === 'string' && codePointLength(operand) > MAX_SEARCH_CHARACTERS;
}
