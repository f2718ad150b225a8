import { invalidValue, scimError } from './scim-error';
import { type AttributePath, type Filter, parsePatchPath, type PatchPath } from './scim-filter';
import { type Attribute, attributeOf, isObject, READ_ONLY, type Resource } from './scim-schema';

export const PATCH_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

const MAX_OPERATIONS = 1_000;

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
  return sent.map(readOperation);
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
  Object.entries(fields).find(([key]) => key.toLowerCase() === name)?.[1];

/**
 * Splits an operation without a path into one for each attribute of its value. Entra ID uses paths such as
 * `name.familyName` as names there. Leaves out unknown attributes, and those that the service sets.
 */
export function withPaths(
  { op, path, value }: PatchOperation,
  attributes: readonly Attribute[],
): readonly (PatchOperation & { readonly path: PatchPath })[] {
  if (path) return [{ op, path, value }];
  return Object.entries(isObject(value) ? value : {}).flatMap(([key, each]) => {
    const own = parsePatchPath(key);
    return findAttribute(own, attributes) === undefined ? [] : [{ op, path: own, value: each }];
  });
}

/**
 * Returns a resource after the operations. Values are checked afterwards, by `readResource`.
 * @throws AppError `invalid_request`
 */
export function patched(
  resource: Resource,
  operations: readonly PatchOperation[],
  attributes: readonly Attribute[],
): Resource {
  const copy = structuredClone(resource);
  for (const operation of operations)
    for (const each of withPaths(operation, attributes)) apply(copy, each, attributes);
  return copy;
}

/** An attribute and the object that has it, which is the resource or its extension. */
interface Found {
  readonly attribute: Attribute;
  /** Name of the extension; `null` for the resource itself. */
  readonly extension: string | null;
  readonly sub: string | null;
}

function findAttribute(
  { schema, name, sub }: AttributePath,
  attributes: readonly Attribute[],
): Found | undefined {
  const extension = schema === null ? undefined : attributeOf(attributes, schema);
  const own = attributeOf(extension?.subAttributes ?? attributes, name);
  if (!own) return undefined;
  const part = sub === null ? undefined : attributeOf(own.subAttributes ?? [], sub);
  if (sub !== null && !part) return undefined;
  return { attribute: own, extension: extension?.name ?? null, sub: part?.name ?? null };
}

function apply(
  resource: Resource,
  { op, path, value }: PatchOperation & { readonly path: PatchPath },
  attributes: readonly Attribute[],
): void {
  if (path.schema === null && READ_ONLY.has(path.name))
    throw scimError('mutability', `${path.name}: is read-only`);
  const found = findAttribute(path, attributes);
  if (!found) throw scimError('invalidPath', `path: ${printed(path)} is not a known attribute`);
  const { attribute, extension, sub } = found;
  const holder = extension === null ? resource : objectIn(resource, extension);
  const { name } = attribute;
  if (attribute.multiValued) {
    const before = Array.isArray(holder[name]) ? (holder[name] as Resource[]) : [];
    holder[name] = valuesAfter(before, op, path.filter, sub, value);
  } else if (path.filter !== null) {
    throw scimError('invalidPath', `path: ${name} has a single value, so that it takes no filter`);
  } else if (sub !== null) {
    set(objectIn(holder, name), sub, op, value);
  } else if (attribute.type === 'complex' && op !== 'remove' && isObject(value)) {
    const parts = attribute.subAttributes ?? [];
    for (const [key, each] of Object.entries(value)) {
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
  op: PatchOperation['op'],
  filter: Filter | null,
  sub: string | null,
  value: unknown,
): readonly unknown[] {
  const sent: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (filter === null && sub === null) {
    if (op === 'replace') return sent;
    if (op === 'add') return [...before, ...sent.filter((each) => !before.some(isSameAs(each)))];
    // Entra ID names the values to remove in place of a filter.
    return value === undefined || value === null
      ? []
      : before.filter((each) => !sent.some((gone) => isSameValue(each, gone)));
  }
  const selected = (each: Resource): boolean => filter === null || matches(each, filter);
  if (op === 'remove' && sub === null) return before.filter((each) => !selected(each));
  const change = sub === null ? value : { [sub]: op === 'remove' ? null : value };
  if (!isObject(change)) throw invalidValue('value', 'must be an object');
  const merged = (each: Resource): Resource => {
    const copy = { ...each };
    for (const [key, part] of Object.entries(change))
      set(copy, key, part === null ? 'remove' : op, part);
    return copy;
  };
  if (op === 'remove' || before.some(selected)) {
    // A value that becomes the primary one takes that from the others.
    const takesPrimary = /^true$/i.test(String(change['primary']));
    const other = (each: Resource): Resource =>
      takesPrimary && each['primary'] === true ? { ...each, primary: false } : each;
    return before.map((each) => (selected(each) ? merged(each) : other(each)));
  }
  // Directories expect that the value is created, such as the first work address.
  return [...before, merged(filter === null ? {} : described(filter))];
}

const isSameAs =
  (value: unknown) =>
  (other: unknown): boolean =>
    JSON.stringify(value) === JSON.stringify(other);

const isSameValue = (each: Resource, gone: unknown): boolean =>
  isObject(gone) && gone['value'] !== undefined && Object.keys(gone).length === 1
    ? each['value'] === gone['value']
    : isSameAs(each)(gone) || each['value'] === (isObject(gone) ? gone['value'] : gone);

/** Returns whether a value has what a filter demands. Texts are compared without case. */
function matches(value: Resource, filter: Filter): boolean {
  if (filter.op === 'and') return filter.filters.every((each) => matches(value, each));
  if (filter.op === 'or') return filter.filters.some((each) => matches(value, each));
  if (filter.op === 'not') return !matches(value, filter.filter);
  if (filter.op === '[]')
    throw scimError('invalidPath', 'path: a filter cannot contain another one');
  const own = Object.entries(value).find(([key]) => key.toLowerCase() === filter.path.name)?.[1];
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
