import { invalidRequest } from '../../../common/error/app-error';
import type { JsonValue } from '../../../common/json/json-value';
import type { DatagridSchema, SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import type { ColumnFilter, Filter, Operator } from './filter';
import { checkOperand } from './operand';
import { operatorsOf } from './operators';
import { isTooLongToSearch, SEARCH_LENGTH_MESSAGE } from './search-length';

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
      throw refused(path, 'too_deep', `must not be nested deeper than ${String(MAX_DEPTH)} levels`);
    const conditions = Object.entries(members(json, path));
    // An empty filter is a request for all rows. An empty part of one may be a client's mistake.
    if (conditions.length === 0 && depth > 1) throw refusedEmpty(path);
    const parts = conditions.map(([name, value]): Filter => {
      const place = `${path}.${name}`;
      if (name === '$and' || name === '$or') {
        const kind = name === '$and' ? 'and' : 'or';
        return { kind, parts: this.list(value, place, depth) };
      }
      if (name === '$not') return { kind: 'not', part: this.condition(value, place, depth + 1) };
      return this.onColumn(name, value, place);
    });
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind: 'and', parts };
  }

  private list(json: unknown, path: string, depth: number): Filter[] {
    if (!Array.isArray(json) || json.length === 0) {
      throw refused(path, 'wrong_type', 'must be an array of at least one condition');
    }
    return json.map((part, index) => this.condition(part, `${path}.${String(index)}`, depth + 1));
  }

  private onColumn(key: string, json: unknown, path: string): Filter {
    if (key.startsWith('$'))
      throw refused(path, 'unknown_operator', 'must be $and, $or, $not or a column');
    const column = this.schema.columns.get(key);
    if (!column) throw refused(path, 'unknown_column', 'is not a column of this datagrid');
    if (!isOperators(json)) return this.onOperator(column, '$eq', json, path);
    const operators = Object.entries(json);
    if (operators.length === 0) throw refusedEmpty(path);
    const parts = operators.map(([name, operand]) =>
      this.onOperator(column, name, operand, `${path}.${name}`),
    );
    const [only] = parts;
    return parts.length === 1 && only ? only : { kind: 'and', parts };
  }

  private onOperator(
    column: SchemaColumn,
    name: string,
    operand: unknown,
    path: string,
  ): ColumnFilter {
    this.conditions += 1;
    if (this.conditions > MAX_CONDITIONS) {
      throw refused(
        path,
        'too_many',
        `exceeds the maximum of ${String(MAX_CONDITIONS)} conditions`,
      );
    }
    const fitting = operatorsOf(column.type);
    if (!(fitting as readonly string[]).includes(name)) {
      const message = `must be one of ${fitting.join(', ')} for columns of type ${column.type}`;
      throw refused(path, 'unknown_operator', message);
    }
    const operator = name as Operator;
    if (operator === '$isNull') return { kind: 'null', column, isNull: flag(operand, path) };
    if (operator === '$in' || operator === '$nin') {
      return {
        kind: 'membership',
        column,
        operator,
        operands: many(column, operand, path),
      };
    }
    const checked = one(column, operand, path);
    // The choices of a `multiSelect` are compared as a whole, so the length limit does not apply.
    if (operator === '$contains' && column.type !== 'multiSelect' && isTooLongToSearch(checked)) {
      throw refused(path, 'out_of_range', SEARCH_LENGTH_MESSAGE);
    }
    return { kind: 'comparison', column, operator, operand: checked };
  }
}

/** Whether a value is a JSON object: for a column, one of operators. Other values are operands. */
function isOperators(json: unknown): json is Members {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function one(column: SchemaColumn, operand: unknown, path: string): JsonValue {
  const checked = checkOperand(column, operand);
  if (!checked.ok) throw refused(path, checked.code, checked.message);
  return checked.value;
}

function many(column: SchemaColumn, operands: unknown, path: string): JsonValue[] {
  if (!Array.isArray(operands)) throw refused(path, 'wrong_type', 'must be an array of values');
  if (operands.length > MAX_OPERANDS) {
    throw refused(path, 'too_many', `must not contain more than ${String(MAX_OPERANDS)} values`);
  }
  return operands.map((operand, index) => one(column, operand, `${path}.${String(index)}`));
}

function flag(operand: unknown, path: string): boolean {
  if (typeof operand === 'boolean') return operand;
  throw refused(path, 'wrong_type', 'must be true or false');
}

function members(json: unknown, path: string): Members {
  if (isOperators(json)) return json;
  throw refused(path, 'wrong_type', 'must be a JSON object');
}

function refusedEmpty(path: string): Error {
  return refused(path, 'required', 'must contain at least one condition');
}

function refused(field: string, code: string, message: string): Error {
  return invalidRequest([{ field, code, message }]);
}
