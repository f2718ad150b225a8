import { foldName, isUuid } from '../common/text/id';
import { scimError } from './scim-error';
import type { AttributePath, Comparison, Filter } from './scim-filter';
import {
  type Attribute,
  attributeAt,
  attributeOf,
  GROUP_SCHEMA,
  isCore,
  USER_ATTRIBUTES,
  USER_SCHEMA,
} from './scim-schema';

/** Adds a value to the parameters of a statement. @returns its placeholder, such as `$2`. */
export type AddParameter = (value: string) => string;

const INDEXED = {
  users: new Set(['id', 'username', 'externalid']),
  groups: new Set(['id', 'displayname', 'externalid']),
};

/** Returns whether an index finds what a filter selects. Without a filter, that is a page of all. */
export function isIndexed(filter: Filter | null, of: keyof typeof INDEXED): boolean {
  if (filter === null) return true;
  if (filter.op === 'and') return filter.filters.some((each) => isIndexed(each, of));
  return filter.op === 'eq' && filter.path.sub === null && INDEXED[of].has(filter.path.name);
}

type Kind = 'folded' | 'exact' | 'text' | 'boolean' | 'time' | 'id';

/** SQL of an attribute, and how its values compare. */
interface Operand {
  readonly sql: string;
  readonly kind: Kind;
}

/** @param isPositive Whether the condition may be NULL where it is not true, as it may inside no `not`. */
type ConditionOf = (filter: Condition, isPositive: boolean) => string;
type Condition = Extract<Filter, { readonly path: AttributePath }>;

/**
 * Returns the condition of a filter on users, with the aliases `u` of users and `s` of scim_users, and the account
 * as `$1`.
 * @throws AppError `invalid_request` with `invalidFilter`.
 */
export function userFilterSql(filter: Filter, add: AddParameter): string {
  return conditionSql(filter, (condition, isPositive) => userCondition(condition, add, isPositive));
}

/** Like `userFilterSql`, on groups with the alias `g`. */
export function groupFilterSql(filter: Filter, add: AddParameter): string {
  return conditionSql(filter, (condition, isPositive) =>
    groupCondition(condition, add, isPositive),
  );
}

function conditionSql(filter: Filter, of: ConditionOf, isPositive = true): string {
  if (filter.op === 'and' || filter.op === 'or') {
    const parts = filter.filters.map((each) => conditionSql(each, of, isPositive));
    return `(${parts.join(filter.op === 'and' ? ' AND ' : ' OR ')})`;
  }
  return filter.op === 'not'
    ? `(NOT ${conditionSql(filter.filter, of, false)})`
    : of(filter, isPositive);
}

/** The address of a user without other ones. */
const EMAILS = `coalesce(s.attributes->'emails', jsonb_build_array(
  jsonb_build_object('value', u.email, 'type', 'work', 'primary', true)))`;

function userCondition(condition: Condition, add: AddParameter, isPositive: boolean): string {
  const { path } = condition;
  const { schema, name, sub } = path;
  const isOfUser = schema === null || schema === USER_SCHEMA.toLowerCase();
  if (isOfUser) {
    const indexed = sub === null && isPositive ? indexedCondition(condition, add) : undefined;
    if (indexed !== undefined) return indexed;
    const operand = USER_OPERANDS.get(sub === null ? name : `${name}.${sub}`);
    if (operand) return comparison(operand, condition, add);
  }
  const found = isOfUser || !isCore(schema) ? attributeAt(path, USER_ATTRIBUTES) : undefined;
  if (!found) throw unknown(path);
  const { attribute, extension } = found;
  const keys = [...(extension === null ? [] : [extension]), attribute.name];
  if (attribute.multiValued) {
    const list = name === 'emails' ? EMAILS : `s.attributes->'${attribute.name}'`;
    return valueExists(list, attribute, condition, add);
  }
  if (condition.op === '[]') throw unknown(path);
  if (attribute.type === 'complex' && condition.op === 'pr' && sub === null)
    return `(s.attributes #> ${literal(keys)} IS NOT NULL)`;
  // Entra ID compares `manager`, and means its value.
  const part =
    attribute.type === 'complex'
      ? attributeOf(attribute.subAttributes ?? [], sub ?? 'value')
      : undefined;
  if (attribute.type === 'complex' ? !part : sub !== null) throw unknown(path);
  const sql = `(s.attributes #>> ${literal([...keys, ...(part ? [part.name] : [])])})`;
  return comparison({ sql, kind: 'text' }, condition, add);
}

/** Returns a condition that finds users by an index, as directories ask before each change. */
function indexedCondition(condition: Condition, add: AddParameter): string | undefined {
  if (condition.op !== 'eq' || typeof condition.value !== 'string') return undefined;
  const { path, value } = condition;
  if (path.name === 'username') return userNameIs(add(foldName(value)));
  if (path.name !== 'externalid') return undefined;
  return `(s.account_id = $1 AND s.external_id = ${add(value)}::text)`;
}

const USER_OPERANDS: ReadonlyMap<string, Operand> = new Map(
  Object.entries<Operand>({
    id: { sql: 'u.id', kind: 'id' },
    username: { sql: 'coalesce(s.user_name_key, u.email_key)', kind: 'folded' },
    externalid: { sql: 's.external_id', kind: 'exact' },
    active: { sql: '(NOT u.suspended)', kind: 'boolean' },
    'meta.created': { sql: 'u.created_at', kind: 'time' },
    'meta.lastmodified': { sql: 'coalesce(s.updated_at, u.created_at)', kind: 'time' },
    'meta.resourcetype': { sql: `'User'::text`, kind: 'exact' },
  }),
);

const userNameIs = (key: string): string => `(u.id IN (
  SELECT n.user_id FROM scim_users n WHERE n.account_id = $1 AND n.user_name_key = ${key}
  UNION ALL
  SELECT e.id FROM users e WHERE e.account_id = $1 AND e.email_key = ${key}
    AND NOT EXISTS (SELECT FROM scim_users n WHERE n.user_id = e.id)))`;

function groupCondition(condition: Condition, add: AddParameter, isPositive: boolean): string {
  const { schema, name, sub } = condition.path;
  if (schema !== null && schema !== GROUP_SCHEMA.toLowerCase()) throw unknown(condition.path);
  const key = sub === null ? name : `${name}.${sub}`;
  const isMember = name === 'members' && (sub === null || sub === 'value');
  if (isMember && condition.op === 'eq') return memberExists(condition.value, add);
  if (isMember && condition.op === '[]' && condition.filter.op === 'eq')
    return memberExists(condition.filter.value, add);
  const operand = GROUP_OPERANDS.get(key);
  if (!operand || condition.op === '[]') throw unknown(condition.path);
  return comparison(operand, condition, add, isPositive);
}

const GROUP_OPERANDS: ReadonlyMap<string, Operand> = new Map(
  Object.entries<Operand>({
    id: { sql: 'g.id', kind: 'id' },
    displayname: { sql: 'g.display_name_key', kind: 'folded' },
    externalid: { sql: 'g.external_id', kind: 'exact' },
    'meta.created': { sql: 'g.created_at', kind: 'time' },
    'meta.lastmodified': { sql: 'g.updated_at', kind: 'time' },
    'meta.resourcetype': { sql: `'Group'::text`, kind: 'exact' },
  }),
);

function memberExists(value: unknown, add: AddParameter): string {
  if (typeof value !== 'string' || !isUuid(value)) return 'false';
  return `(g.id IN (SELECT m.group_id FROM scim_group_members m
    WHERE m.user_id = ${add(value)}::uuid))`;
}

/** Condition on an attribute with several values: one of them has what it demands. */
function valueExists(
  list: string,
  attribute: Attribute,
  condition: Condition,
  add: AddParameter,
): string {
  const { op, path } = condition;
  if (op === 'pr' && path.sub === null) return `(${list} IS NOT NULL)`;
  const inner =
    op === '[]'
      ? conditionSql(condition.filter, (each) =>
          partCondition(each, each.path.name, attribute, add),
        )
      : partCondition(condition, path.sub ?? 'value', attribute, add);
  return `EXISTS (SELECT FROM jsonb_array_elements(${list}) e WHERE ${inner})`;
}

function partCondition(
  condition: Condition,
  name: string,
  { subAttributes = [] }: Attribute,
  add: AddParameter,
): string {
  const part = attributeOf(subAttributes, name);
  if (!part || condition.op === '[]') throw unknown(condition.path);
  const text = `(e ->> '${part.name}')`;
  return part.type === 'boolean'
    ? comparison({ sql: `coalesce(${text} = 'true', false)`, kind: 'boolean' }, condition, add)
    : comparison({ sql: text, kind: 'text' }, condition, add);
}

/**
 * Returns a condition that is never NULL, so that NOT finds also what has no value. A positive one may be NULL: only
 * so can an index find what equals a text.
 */
function comparison(
  { sql, kind }: Operand,
  condition: Condition,
  add: AddParameter,
  isPositive = false,
): string {
  if (condition.op === '[]') throw unknown(condition.path);
  if (condition.op === 'pr') return `(${sql} IS NOT NULL)`;
  const { op, value } = condition;
  if (value === null) return nullSql(sql, op);
  if (kind === 'boolean') return booleanSql(sql, op, value);
  if (typeof value !== 'string') throw invalid('expected a string in quotes');
  if (kind === 'time')
    return `((${ordered(sql, op, `${add(timeOf(value))}::timestamptz`)}) IS TRUE)`;
  if (kind === 'id') return idSql(sql, op, value, add);
  const own = kind === 'text' ? `lower(${sql})` : sql;
  const parameter = `${add(kind === 'folded' ? foldName(value) : value)}::text`;
  if (op === 'eq' && isPositive && kind !== 'text') return `(${sql} = ${parameter})`;
  const other = kind === 'text' ? `lower(${parameter})` : parameter;
  return `((${textSql(own, op, other)}) IS TRUE)`;
}

function nullSql(sql: string, op: Comparison): string {
  if (op === 'eq') return `(${sql} IS NULL)`;
  if (op === 'ne') return `(${sql} IS NOT NULL)`;
  throw invalid('null can be compared only by eq and ne');
}

function booleanSql(sql: string, op: Comparison, value: unknown): string {
  // Entra ID sends a text.
  const wanted = typeof value === 'string' ? value.toLowerCase() : String(value);
  if ((wanted !== 'true' && wanted !== 'false') || (op !== 'eq' && op !== 'ne'))
    throw invalid('a boolean can be compared only by eq and ne, with true or false');
  return `(${sql} ${op === 'eq' ? '=' : '<>'} ${wanted})`;
}

function idSql(sql: string, op: Comparison, value: string, add: AddParameter): string {
  if (op === 'eq') return isUuid(value) ? `(${sql} = ${add(value)}::uuid)` : 'false';
  if (op === 'ne') return isUuid(value) ? `(${sql} <> ${add(value)}::uuid)` : 'true';
  return `((${textSql(`${sql}::text`, op, `${add(value.toLowerCase())}::text`)}) IS TRUE)`;
}

function textSql(own: string, op: Comparison, other: string): string {
  if (op === 'ne') return `${own} IS DISTINCT FROM ${other}`;
  if (op === 'co') return `position(${other} IN ${own}) > 0`;
  if (op === 'sw') return `starts_with(${own}, ${other})`;
  if (op === 'ew') return `right(${own}, length(${other})) = ${other}`;
  return ordered(own, op, `${other} COLLATE "C"`);
}

const ORDER: Partial<Readonly<Record<Comparison, string>>> = {
  ...{ eq: '=', ne: '<>', gt: '>', ge: '>=', lt: '<', le: '<=' },
};

function ordered(own: string, op: Comparison, other: string): string {
  const sign = ORDER[op];
  if (sign === undefined) throw invalid(`${op} cannot compare times`);
  return `${own} ${sign} ${other}`;
}

function timeOf(text: string): string {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text).getTime() : NaN;
  const printed = Number.isNaN(time) ? '' : new Date(time).toISOString();
  // PostgreSQL has no year 0. Others have more digits and a sign, also because of the time zone.
  if (/^(?!0000)\d{4}-/.test(printed)) return printed;
  throw invalid('expected a time, such as "2026-11-21T09:30:00Z"');
}

/** Returns an array of names as SQL. They are those of the schemas, which need no escapes. */
const literal = (keys: readonly string[]): string => `ARRAY['${keys.join("', '")}']`;

const invalid = (message: string): Error => scimError('invalidFilter', `filter: ${message}`);

const unknown = ({ name, sub }: AttributePath): Error =>
  invalid(`cannot compare ${sub === null ? name : `${name}.${sub}`}`);
