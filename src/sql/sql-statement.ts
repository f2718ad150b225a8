import { type AppError, invalidField } from '../common/error/app-error';
import { shorten } from '../common/text/id';
import { isAllowedFunction, isAllowedTableFunction } from './sql-functions';

/** Maximum number of tables that a statement can read. */
const MAX_TABLES = 20;
const MAX_SHOWN = 100;
/** Maximum number of common table expressions. */
const MAX_DEFINITIONS = 100;

/** Expressions that a statement can have, by their class in the tree of DuckDB. */
const EXPRESSIONS: ReadonlySet<string> = new Set([
  'BETWEEN',
  'CASE',
  'CAST',
  'COLLATE',
  'COLUMN_REF',
  'COMPARISON',
  'CONJUNCTION',
  'CONSTANT',
  'FUNCTION',
  'LAMBDA',
  'LAMBDA_REF',
  'OPERATOR',
  'PARAMETER',
  'POSITIONAL_REFERENCE',
  'STAR',
  'SUBQUERY',
  'WINDOW',
]);

/** Other parts that a statement can have, by their type. */
const PARTS: ReadonlySet<string> = new Set([
  'SELECT_NODE',
  'SET_OPERATION_NODE',
  'RECURSIVE_CTE_NODE',
  'CTE_NODE',
  'BASE_TABLE',
  'EMPTY',
  'EXPRESSION_LIST',
  'JOIN',
  'PIVOT',
  'SUBQUERY',
  'TABLE_FUNCTION',
  'DISTINCT_MODIFIER',
  'LIMIT_MODIFIER',
  'LIMIT_PERCENT_MODIFIER',
  'ORDER_MODIFIER',
  'ASCENDING',
  'DESCENDING',
  'ORDER_DEFAULT',
]);
/** Types of values, such as `DECIMAL_TYPE_INFO`. */
const TYPE_INFO = '_TYPE_INFO';
/** Names that views of DuckDB's own catalog have. A common table expression must not be mistaken for one. */
const CATALOG_NAME = /^(?:duckdb|pg|pragma|sqlite)_/i;

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
interface JsonObject {
  readonly [member: string]: Json;
}

/** What `json_serialize_sql` returns. */
type Serialized =
  | { readonly error: true; readonly error_message: string; readonly position?: string }
  | { readonly error: false; readonly statements: readonly Json[] };

/**
 * Checks a statement, and returns the names of the tables that it reads, in lower case. A statement is one
 * SELECT of known parts: it can read tables by their plain names, and call functions that read nothing but
 * their arguments.
 * @param serialized The statement as DuckDB's own parser reads it: the result of `json_serialize_sql`.
 * @param isWhole Whether the text can stand in parentheses.
 * @throws AppError `invalid_request` with the field `sql`
 */
export function tablesOf(serialized: string, isWhole: boolean): ReadonlySet<string> {
  const tree = parsed(serialized);
  if (tree.error) throw syntaxError(tree.error_message, tree.position);
  const [statement] = tree.statements;
  if (tree.statements.length !== 1 || statement === undefined) throw notOneSelect();
  if (!isWhole) throw invalidSql('must end with its semicolon; remove what follows');
  const check = new StatementCheck();
  check.visit(statement, new Set());
  if (check.tables.size > MAX_TABLES) {
    throw invalidSql(`must not read more than ${String(MAX_TABLES)} tables`);
  }
  return check.tables;
}

/** Parses a tree, whose numbers can be too large for JSON. */
function parsed(serialized: string): Serialized {
  try {
    return JSON.parse(serialized) as Serialized;
  } catch {
    throw invalidSql('has a number that is too large');
  }
}

class StatementCheck {
  private definitions = 0;
  readonly tables = new Set<string>();

  /** @param defined Names of the common table expressions that are visible, in lower case. */
  visit(part: Json, defined: ReadonlySet<string>): void {
    if (typeof part !== 'object' || part === null) return;
    if (isList(part)) {
      for (const item of part) this.visit(item, defined);
      return;
    }
    this.checkPart(part, defined);
    const visible = this.visitDefinitions(part, defined);
    // The first part of a recursive expression does not see it.
    const recursive = part['type'] === 'RECURSIVE_CTE_NODE' ? textOf(part['cte_name']) : null;
    for (const [name, member] of Object.entries(part)) {
      if (name === 'cte_map') continue;
      const isRecursive = recursive !== null && name === 'right';
      this.visit(member, isRecursive ? new Set([...visible, recursive.toLowerCase()]) : visible);
    }
  }

  private checkPart(part: JsonObject, defined: ReadonlySet<string>): void {
    const { class: kind, type } = part;
    if (typeof kind === 'string') {
      if (!EXPRESSIONS.has(kind)) throw notSupported(kind);
    } else if (typeof type === 'string' && !PARTS.has(type) && !type.endsWith(TYPE_INFO)) {
      throw notSupported(type);
    }
    if (type === 'BASE_TABLE' && kind === undefined) this.checkTable(part, defined);
    if (type === 'TABLE_FUNCTION') checkTableFunction(part);
    else if ('function_name' in part) checkFunction(part);
    // A type or a table of another schema or catalog.
    if (part['type'] === 'UNBOUND_TYPE_INFO') requireUnqualified(part, textOf(part['name']));
  }

  private checkTable(part: JsonObject, defined: ReadonlySet<string>): void {
    const name = textOf(part['table_name']);
    const qualifiers = [part['schema_name'], part['catalog_name']].map(textOf);
    if (qualifiers.some((text) => text !== '')) {
      throw invalidSql(
        `cannot read ${shown(name)} with a schema; write the name of the table alone`,
      );
    }
    if (part['at_clause'] !== null) throw notSupported('AT');
    if (!defined.has(name.toLowerCase())) this.tables.add(name.toLowerCase());
  }

  /** Visits the common table expressions of a part. Each can read those before it. */
  private visitDefinitions(part: JsonObject, defined: ReadonlySet<string>): ReadonlySet<string> {
    const { map } = (part['cte_map'] ?? {}) as { readonly map?: readonly JsonObject[] };
    if (!map || map.length === 0) return defined;
    this.definitions += map.length;
    if (this.definitions > MAX_DEFINITIONS) {
      throw invalidSql(
        `must not define more than ${String(MAX_DEFINITIONS)} expressions with WITH`,
      );
    }
    const visible = new Set(defined);
    for (const { key, value } of map) {
      const name = textOf(key).toLowerCase();
      if (CATALOG_NAME.test(name)) {
        throw invalidSql(`must not define ${shown(name)}; choose another name`);
      }
      this.visit(value ?? null, new Set(visible));
      visible.add(name);
    }
    return visible;
  }
}

function checkFunction(part: JsonObject): void {
  const name = textOf(part['function_name']);
  requireUnqualified(part, name);
  if (!isAllowedFunction(name)) {
    throw invalidSql(`cannot use the function ${shown(name)}`);
  }
}

/** The function itself is checked here, and its arguments as any other part. */
function checkTableFunction(part: JsonObject): void {
  const call = part['function'] as JsonObject;
  const name = textOf(call['function_name']);
  if (!isAllowedTableFunction(name)) {
    throw invalidSql(`cannot use the function ${shown(name)} as a table`);
  }
}

function requireUnqualified(part: JsonObject, name: string): void {
  // DuckDB itself calls the functions of its literals by this schema.
  const schema = textOf(part['schema']);
  if ((schema === '' || schema === 'main') && textOf(part['catalog']) === '') return;
  throw invalidSql(`cannot use ${shown(name)} with a schema; write its name alone`);
}

const isList = (part: readonly Json[] | JsonObject): part is readonly Json[] => Array.isArray(part);

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

const shown = (name: string): string => `"${shorten(name, MAX_SHOWN)}"`;

export const invalidSql = (message: string): AppError =>
  invalidField('sql', 'invalid_format', message);

function syntaxError(message: string, position: string | undefined): Error {
  if (message.startsWith('Only SELECT')) return notOneSelect();
  const at = position === undefined ? '' : ` at character ${String(Number(position) + 1)}`;
  return invalidSql(`is not valid${at}: ${shorten(message, MAX_SHOWN)}`);
}

function notOneSelect(): Error {
  return invalidSql('must be one SELECT statement');
}

function notSupported(part: string): Error {
  return invalidSql(`has a part that is not supported: ${part}`);
}
