import { nextTurn } from '../platform/fairness/event-loop-turns';
import { invalidValue, scimError } from './scim-error';
import {
  attributePath,
  type AttributePath,
  type Filter,
  parsePatchPath,
  type PatchPath,
} from './scim-filter';
import {
  type Attribute,
  attributeAt,
  attributeOf,
  entriesOf,
  type Found,
  isCore,
  isObject,
  objectOf,
  READ_ONLY,
  readSingle,
  requireFewValues,
  requireSmall,
  type Resource,
} from './scim-schema';

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const MAX_OPERATIONS = 100;
/** Attributes that all operations name, which may do so without a path. */
const MAX_CHANGES = 500;
/** Characters of all paths, and of the names in values without a path. Parsing them takes 2 ms for 1,000. */
const MAX_PATH_CHARACTERS = 20_000;

/** One operation of a PATCH (RFC 7644, section 3.5.2). */
export interface PatchOperation {
  readonly op: 'add' | 'replace' | 'remove';
  /** `null` if the value is an object with attributes. */
  readonly path: PatchPath | null;
  readonly value: unknown;
}

/** @throws AppError `invalid_request` */
export function readOperations(body: unknown): readonly PatchOperation[] {
  const sent = isObject(body) ? entryOf(body, 'operations') : undefined;
  if (!Array.isArray(sent) || sent.length === 0)
    throw scimError('invalidSyntax', 'Operations: must be a list of operations');
  if (sent.length > MAX_OPERATIONS) {
    const message = `Operations: must have at most ${String(MAX_OPERATIONS)} operations`;
    throw scimError('tooMany', message);
  }
  requireShortPaths(sent);
  return sent.map(readOperation);
}

/** Counts before anything is parsed. */
function requireShortPaths(operations: readonly unknown[]): void {
  let characters = 0;
  for (const fields of operations.filter(isObject)) {
    const path = entryOf(fields, 'path');
    const value = entryOf(fields, 'value');
    if (typeof path === 'string') characters += path.length;
    else if (isObject(value)) characters += Object.keys(value).join('').length;
  }
  if (characters <= MAX_PATH_CHARACTERS) return;
  const max = String(MAX_PATH_CHARACTERS);
  throw scimError('tooMany', `Operations: must have at most ${max} characters of paths`);
}

function readOperation(sent: unknown): PatchOperation {
  const fields = isObject(sent) ? sent : {};
  const name = entryOf(fields, 'op');
  // Entra ID writes `Replace`.
  const op = typeof name === 'string' ? name.toLowerCase() : '';
  if (op !== 'add' && op !== 'replace' && op !== 'remove')
    throw scimError('invalidSyntax', 'op: must be add, replace or remove');
  const path = entryOf(fields, 'path') ?? '';
  if (typeof path !== 'string') throw scimError('invalidPath', 'path: must be a string');
  const value = entryOf(fields, 'value');
  if (path === '' && op === 'remove') throw scimError('noTarget', 'path: is required to remove');
  if (path === '' && !isObject(value))
    throw invalidValue('value', 'must be an object if there is no path');
  if (op !== 'remove' && value === undefined) throw invalidValue('value', 'is required');
  return { op, path: path === '' ? null : parsePatchPath(path), value };
}

const entryOf = (fields: Readonly<Record<string, unknown>>, name: string): unknown =>
  entriesOf(fields, 'body').find(([key]) => key.toLowerCase() === name)?.[1];

/**
 * Splits an operation without a path into one for each attribute of its value. Entra ID uses paths such as
 * `name.familyName` as names there. Leaves out unknown attributes, and those that the service sets.
 */
export function withPaths(
  { op, path, value }: PatchOperation,
  attributes: readonly Attribute[],
): readonly (PatchOperation & { readonly path: PatchPath })[] {
  if (path) return [{ op, path, value }];
  const entries = isObject(value) ? entriesOf(value, 'value') : [];
  return entries.flatMap(([key, each]) => {
    const [name = ''] = key.split('[', 1);
    // Before the rest is parsed, which takes longer.
    if (!attributeAt(attributePath(name), attributes)) return [];
    const own = parsePatchPath(key);
    return targetOf(own, attributes) === undefined ? [] : [{ op, path: own, value: each }];
  });
}

/**
 * Returns a resource after the operations, each in a turn of the account. Values are checked afterwards, too, by
 * `readResource`.
 * @throws AppError `invalid_request`
 */
export async function patched(
  accountId: string,
  resource: Resource,
  operations: readonly PatchOperation[],
  attributes: readonly Attribute[],
): Promise<Resource> {
  const copy = structuredClone(resource);
  let left = MAX_CHANGES;
  for (const operation of operations)
    for (const each of withPaths(operation, attributes)) {
      left -= 1;
      if (left < 0)
        throw scimError(
          'tooMany',
          `Operations: must name at most ${String(MAX_CHANGES)} attributes`,
        );
      await nextTurn(accountId);
      apply(copy, each, attributes);
    }
  return copy;
}

/** What an operation changes. */
interface Target extends Found {
  /** Part of the attribute; `null` for all of it. */
  readonly sub: string | null;
}

function targetOf(path: AttributePath, attributes: readonly Attribute[]): Target | undefined {
  const found = attributeAt(path, attributes);
  if (!found || path.sub === null) return found && { ...found, sub: null };
  const part = attributeOf(found.attribute.subAttributes ?? [], path.sub);
  return part && { ...found, sub: part.name };
}

/** Returns whether a path names an extension that the service does not know, or something in it. */
const isOfUnknownExtension = (
  { schema, name }: AttributePath,
  attributes: readonly Attribute[],
): boolean => {
  const urn = schema ?? name;
  return urn.startsWith('urn:') && !isCore(urn) && attributeOf(attributes, urn) === undefined;
};

/** Standard attributes of users (RFC 7643, section 4.1) that are not kept. */
const NOT_KEPT: ReadonlySet<string> = new Set(['password', 'ims', 'photos', 'x509certificates']);

function apply(
  resource: Resource,
  { op, path, value }: PatchOperation & { readonly path: PatchPath },
  attributes: readonly Attribute[],
): void {
  if (isOfUnknownExtension(path, attributes)) return;
  if (isCore(path.schema) && READ_ONLY.has(path.name))
    throw scimError('mutability', `${path.name}: is read-only`);
  if (isCore(path.schema) && NOT_KEPT.has(path.name)) return;
  const found = targetOf(path, attributes);
  if (!found) throw scimError('invalidPath', `path: ${printed(path)} is not a known attribute`);
  const { attribute, extension, sub } = found;
  if (attribute.multiValued && Array.isArray(value)) requireFewValues(value, attribute.name);
  requireSmall(value);
  const holder = extension === null ? resource : objectIn(resource, extension);
  const { name } = attribute;
  if (attribute.multiValued) {
    const before = Array.isArray(holder[name]) ? (holder[name] as Resource[]) : [];
    const after = valuesAfter(before, attribute, { op, path, value }, sub);
    requireSmall(after);
    holder[name] = after;
    return;
  }
  if (path.filter !== null)
    throw scimError('invalidPath', `path: ${name} has a single value, so that it takes no filter`);
  const sent = attribute.type === 'complex' && sub === null ? objectOf(value) : value;
  if (sub !== null) {
    set(objectIn(holder, name), sub, op, value);
  } else if (op !== 'remove' && value !== '' && attribute.type === 'complex' && isObject(sent)) {
    const parts = attribute.subAttributes ?? [];
    for (const [key, each] of entriesOf(sent, name)) {
      const part = attributeOf(parts, key);
      if (part) set(objectIn(holder, name), part.name, op, each);
    }
  } else {
    set(holder, name, op, value);
  }
}

function set(holder: Resource, name: string, op: PatchOperation['op'], value: unknown): void {
  if (op === 'remove' || value === null) Reflect.deleteProperty(holder, name);
  else holder[name] = value;
}

function objectIn(holder: Resource, name: string): Resource {
  if (!isObject(holder[name])) holder[name] = {};
  return holder[name] as Resource;
}

/** Returns the values of an attribute after an operation on it, on some of them, or on a part of these. */
function valuesAfter(
  before: readonly Resource[],
  attribute: Attribute,
  { op, path: { filter }, value }: PatchOperation & { readonly path: PatchPath },
  sub: string | null,
): readonly Resource[] {
  const read = (each: unknown): Resource[] => {
    const one = readSingle(each, attribute, attribute.name) as Resource | undefined;
    return one ? [one] : [];
  };
  if (filter === null && sub === null) {
    const sent: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (value === undefined || value === null) return op === 'add' ? before : [];
    const values = sent.flatMap(read);
    if (op === 'replace') return values;
    // Entra ID names the values to remove in place of a filter.
    if (op === 'remove')
      return before.filter((each) => !values.some((gone) => isNamed(each, gone)));
    const after = values.reduce(withAdded, before);
    requireFewValues(after, attribute.name);
    return after;
  }
  const selected = (each: Resource): boolean => filter === null || matches(each, filter);
  if (op === 'remove' && sub === null) return before.filter((each) => !selected(each));
  const change = sub === null ? value : { [sub]: op === 'remove' ? null : value };
  if (!isObject(change)) throw invalidValue('value', 'must be an object');
  const parts = entriesOf(change, 'value').flatMap(([key, part]): [string, unknown][] => {
    const known = attributeOf(attribute.subAttributes ?? [], key);
    return known ? [[known.name, part]] : [];
  });
  const merged = (each: Resource): Resource[] => {
    const copy = { ...each };
    for (const [key, part] of parts) set(copy, key, part === null ? 'remove' : op, part);
    return read(copy);
  };
  if (op === 'remove' || before.some(selected)) {
    // A value that becomes the primary one takes that from the others.
    const primary = parts.findLast(([key]) => key === 'primary')?.[1];
    const takesPrimary =
      primary === true || (typeof primary === 'string' && /^true$/i.test(primary));
    const other = (each: Resource): Resource => (takesPrimary ? withoutPrimary(each) : each);
    return before.flatMap((each) => (selected(each) ? merged(each) : [other(each)]));
  }
  // Directories expect that the value is created, such as the first work address.
  const after = [...before, ...merged(filter === null ? {} : described(filter))];
  requireFewValues(after, attribute.name);
  return after;
}

const withoutPrimary = (value: Resource): Resource =>
  value['primary'] === true ? { ...value, primary: false } : value;

/** Adds a value, unless there is the same one, which then only becomes the primary one or ceases to be it. */
function withAdded(before: readonly Resource[], added: Resource): readonly Resource[] {
  const others = added['primary'] === true ? before.map(withoutPrimary) : before;
  if (!before.some((each) => isSame(each, added))) return [...others, added];
  return others.map((each) => (isSame(each, added) ? { ...each, ...added } : each));
}

/** Compares what values say, in any order, apart from whether they are the primary ones. */
function isSame(a: Resource, b: Resource): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  names.delete('primary');
  return [...names].every((name) => a[name] === b[name]);
}

/** Returns whether a value is the one to remove. A directory may name it without its other parts. */
const isNamed = (value: Resource, gone: Resource): boolean =>
  gone['value'] === undefined ? isSame(value, gone) : value['value'] === gone['value'];

/** Returns whether a value has what a filter demands. Texts are compared without case. */
function matches(value: Resource, filter: Filter): boolean {
  if (filter.op === 'and') return filter.filters.every((each) => matches(value, each));
  if (filter.op === 'or') return filter.filters.some((each) => matches(value, each));
  if (filter.op === 'not') return !matches(value, filter.filter);
  if (filter.op === '[]')
    throw scimError('invalidPath', 'path: a filter cannot contain another one');
  const { name } = filter.path;
  const own = Object.entries(value).find(([key]) => key.toLowerCase() === name)?.[1];
  if (filter.op === 'pr') return own !== undefined && own !== '';
  const [a, b] = [comparable(own), comparable(filter.value)];
  if (filter.op === 'eq') return a === b;
  if (filter.op === 'ne') return a !== b;
  if (filter.op === 'co') return a.includes(b);
  if (filter.op === 'sw') return a.startsWith(b);
  if (filter.op === 'ew') return a.endsWith(b);
  throw scimError('invalidPath', `path: ${filter.op} is not supported here`);
}

/** Booleans may be texts. A value that is not there equals `false` and the empty text. */
const comparable = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number'
    ? String(value)
        .toLowerCase()
        .replace(/^false$/, '')
    : '';

/** Returns the value that a filter describes, such as `{ type: 'work' }`. */
function described(filter: Filter): Resource {
  if (filter.op === 'and') return Object.assign({}, ...filter.filters.map(described)) as Resource;
  if (filter.op === 'eq' && filter.path.sub === null) return { [filter.path.name]: filter.value };
  throw scimError('noTarget', 'path: no value matches the filter');
}

const printed = ({ name, sub }: AttributePath): string => (sub === null ? name : `${name}.${sub}`);
