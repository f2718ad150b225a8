import { invalidValue } from './scim-error';

/** Attributes of a resource by their names, as the schemas spell them. */
export type Resource = Record<string, unknown>;

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE_SCHEMA = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';

/** An attribute of a schema (RFC 7643, section 7). */
export interface Attribute {
  readonly name: string;
  readonly type: 'string' | 'boolean' | 'complex' | 'reference';
  readonly multiValued: boolean;
  readonly description: string;
  readonly required: boolean;
  readonly caseExact: boolean;
  readonly mutability: 'readWrite' | 'readOnly' | 'immutable';
  readonly returned: 'default' | 'always';
  readonly uniqueness: 'none' | 'server';
  readonly subAttributes?: readonly Attribute[];
  readonly referenceTypes?: readonly string[];
  readonly canonicalValues?: readonly string[];
}

export interface Schema {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** Declares an attribute. By default, it is an optional text, compared without case. */
const attribute = (
  name: string,
  description: string,
  more: Partial<Attribute> = {},
): Attribute => ({
  name,
  type: 'string',
  multiValued: false,
  description,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...more,
});

/** Declares an attribute with several values, each with a value, a type and whether it is the primary one. */
const values = (name: string, description: string, ...others: readonly Attribute[]): Attribute =>
  attribute(name, description, {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      ...(others.length > 0 ? others : [attribute('value', 'The value.')]),
      attribute('display', 'Name of the value for people.'),
      attribute('type', 'Kind of the value, such as work.'),
      attribute('primary', 'Whether this is the preferred value.', { type: 'boolean' }),
    ],
  });

const EXTERNAL_ID = attribute('externalId', 'ID of the resource in the directory.', {
  caseExact: true,
});

const texts = (...names: readonly string[]): Attribute[] =>
  names.map((name) => attribute(name, `Part of the address or name: ${name}.`));

export const USER: Schema = {
  id: USER_SCHEMA,
  name: 'User',
  description: 'A user of the account.',
  attributes: [
    attribute(
      'userName',
      'Name of the user. If it is an email address, the user signs in with it.',
      {
        required: true,
        uniqueness: 'server',
      },
    ),
    EXTERNAL_ID,
    attribute('active', 'Whether the user has access. If not, they are suspended.', {
      type: 'boolean',
      // It always has a value.
      required: true,
    }),
    attribute('name', 'Parts of the name.', {
      type: 'complex',
      subAttributes: texts(
        ...['formatted', 'familyName', 'givenName', 'middleName'],
        ...['honorificPrefix', 'honorificSuffix'],
      ),
    }),
    attribute('displayName', 'Name for people.'),
    attribute('nickName', 'Casual name.'),
    attribute('profileUrl', 'Page of the user.', {
      type: 'reference',
      referenceTypes: ['external'],
    }),
    attribute('title', 'Title, such as Engineer.'),
    attribute('userType', 'Relation to the company, such as Employee.'),
    attribute('preferredLanguage', 'Preferred language.'),
    attribute('locale', 'Location for formats.'),
    attribute('timezone', 'Time zone.'),
    values('emails', 'Email addresses. The primary one is used if userName is none.'),
    values('phoneNumbers', 'Phone numbers.'),
    values(
      'addresses',
      'Postal addresses.',
      ...texts('formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'),
    ),
    values('entitlements', 'Entitlements. They have no effect.'),
    values('roles', 'Roles in the directory. They have no effect.'),
  ],
};

export const ENTERPRISE: Schema = {
  id: ENTERPRISE_SCHEMA,
  name: 'EnterpriseUser',
  description: 'Place of a user in a company.',
  attributes: [
    attribute('employeeNumber', 'Number of the employee.'),
    attribute('costCenter', 'Cost center.'),
    attribute('organization', 'Organization.'),
    attribute('division', 'Division.'),
    attribute('department', 'Department.'),
    attribute('manager', 'Manager of the user.', {
      type: 'complex',
      subAttributes: [
        attribute('value', 'ID of the manager.'),
        attribute('displayName', 'Name of the manager.'),
      ],
    }),
  ],
};

export const GROUP: Schema = {
  id: GROUP_SCHEMA,
  name: 'Group',
  description: 'A group of users. Owners of the account map it to roles.',
  attributes: [
    attribute('displayName', 'Name of the group.', { required: true, uniqueness: 'server' }),
    EXTERNAL_ID,
    attribute('members', 'Users in the group.', {
      type: 'complex',
      multiValued: true,
      subAttributes: [
        attribute('value', 'ID of the user.', { mutability: 'immutable', caseExact: true }),
        attribute('$ref', 'URL of the user.', {
          type: 'reference',
          mutability: 'immutable',
          referenceTypes: ['User'],
        }),
        attribute('type', 'Always User.', { mutability: 'immutable', canonicalValues: ['User'] }),
      ],
    }),
  ],
};

/** The extension of users as an attribute, by the URN under which resources have it. */
const EXTENSION = attribute(ENTERPRISE_SCHEMA, ENTERPRISE.description, {
  type: 'complex',
  subAttributes: ENTERPRISE.attributes,
});

/** All attributes of users, with the extension. */
export const USER_ATTRIBUTES: readonly Attribute[] = [...USER.attributes, EXTENSION];
export const GROUP_ATTRIBUTES = GROUP.attributes;

/** Attributes that the service sets. */
export const READ_ONLY: ReadonlySet<string> = new Set(['id', 'meta', 'groups', 'schemas']);

const MAX_VALUES = 50;
/** Names in one object, known or not. */
const MAX_NAMES = 200;
/** Bytes of the attributes that the platform has no place for, as JSON. */
const MAX_ATTRIBUTE_BYTES = 16 * 1024;

/** Attributes by their folded names. */
const byName = new WeakMap<readonly Attribute[], ReadonlyMap<string, Attribute>>();

/** Finds an attribute by its name, in which case does not matter. */
export function attributeOf(attributes: readonly Attribute[], name: string): Attribute | undefined {
  let known = byName.get(attributes);
  if (!known) {
    known = new Map(attributes.map((each) => [each.name.toLowerCase(), each]));
    byName.set(attributes, known);
  }
  return known.get(name.toLowerCase());
}

const CORE_SCHEMAS: ReadonlySet<string> = new Set([
  USER_SCHEMA.toLowerCase(),
  GROUP_SCHEMA.toLowerCase(),
]);

/** Returns whether a path without a schema, or with this one, names an attribute of the resource itself. */
export const isCore = (schema: string | null): boolean =>
  schema === null || CORE_SCHEMAS.has(schema);

/** An attribute and the extension that has it. */
export interface Found {
  readonly attribute: Attribute;
  /** Name of the extension; `null` for an attribute of the resource itself. */
  readonly extension: string | null;
}

/**
 * Finds the attribute that a path names. Without a schema, it may be one of an extension: Entra ID sends `manager`.
 * An attribute of an unknown extension is never that of the resource with the same name.
 */
export function attributeAt(
  { schema, name }: { readonly schema: string | null; readonly name: string },
  attributes: readonly Attribute[],
): Found | undefined {
  const own = isCore(schema) ? attributeOf(attributes, name) : undefined;
  if (own) return { attribute: own, extension: null };
  const extensions = attributes.filter((each) => each.name.startsWith('urn:'));
  for (const { name: extension, subAttributes = [] } of extensions) {
    if (schema !== null && schema !== extension.toLowerCase()) continue;
    const attribute = attributeOf(subAttributes, name);
    if (attribute) return { attribute, extension };
  }
  return undefined;
}

/** Returns the names and values of an object. @throws AppError `invalid_request` if they are too many. */
export function entriesOf(
  object: Readonly<Record<string, unknown>>,
  path: string,
): [string, unknown][] {
  const entries = Object.entries(object);
  if (entries.length > MAX_NAMES)
    throw invalidValue(path, `must have at most ${String(MAX_NAMES)} attributes`);
  return entries;
}

/** @throws AppError `invalid_request` */
export function requireFewValues(values: readonly unknown[], path: string): void {
  if (values.length > MAX_VALUES)
    throw invalidValue(path, `must have at most ${String(MAX_VALUES)} values`);
}

/** Requires that attributes fit in their place. @throws AppError `invalid_request` */
export function requireSmall(attributes: unknown): void {
  if (Buffer.byteLength(JSON.stringify(attributes ?? null)) > MAX_ATTRIBUTE_BYTES) {
    const message = `must have at most ${String(MAX_ATTRIBUTE_BYTES)} bytes of attributes`;
    throw invalidValue('body', message);
  }
}

/**
 * Returns the attributes of a resource that the schemas know, under the names of the schemas. Leaves out unknown
 * ones, those that the service sets, and those without a value.
 * @throws AppError `invalid_request`
 */
export function readResource(body: unknown, attributes: readonly Attribute[], path = ''): Resource {
  if (!isObject(body)) throw invalidValue(path === '' ? 'body' : path, 'must be an object');
  const resource: Resource = {};
  for (const [key, sent] of entriesOf(body, path === '' ? 'body' : path)) {
    const known = attributeOf(attributes, key);
    if (!known || known.mutability === 'readOnly') continue;
    const value = readValue(sent, known, path === '' ? known.name : `${path}.${known.name}`);
    if (value !== undefined) resource[known.name] = value;
  }
  return resource;
}

function readValue(sent: unknown, known: Attribute, path: string): unknown {
  if (sent === null || sent === undefined) return undefined;
  if (!known.multiValued) return readSingle(sent, known, path);
  const list: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  requireFewValues(list, path);
  const read = list
    .map((each) => readSingle(each, known, path))
    .filter((each) => each !== undefined);
  return read.length === 0 ? undefined : withOnePrimary(read as Resource[]);
}

/**
 * Returns an object that a directory may send in other forms, as it does with the manager: its value alone, or a list
 * with it. `{}` for an empty one.
 */
export function objectOf(sent: unknown): unknown {
  const one: unknown = Array.isArray(sent) ? (sent[0] ?? '') : sent;
  if (typeof one !== 'string') return one;
  return one === '' ? {} : { value: one };
}

/** Reads one value of an attribute. @returns `undefined` if it says nothing. @throws AppError `invalid_request` */
export function readSingle(sent: unknown, known: Attribute, path: string): unknown {
  const { type, multiValued, subAttributes = [] } = known;
  if (type === 'complex') {
    const object = multiValued && Array.isArray(sent) ? sent : objectOf(sent);
    const read = readResource(object, subAttributes, path);
    return Object.keys(read).length === 0 ? undefined : read;
  }
  if (multiValued) throw invalidValue(path, 'must be an object');
  if (type === 'boolean') return readBoolean(sent, path);
  if (typeof sent !== 'string') throw invalidValue(path, 'must be a string');
  return sent;
}

/** Entra ID sends booleans as texts. */
function readBoolean(sent: unknown, path: string): boolean {
  const text = typeof sent === 'string' ? sent.toLowerCase() : sent;
  if (text === true || text === 'true') return true;
  if (text === false || text === 'false') return false;
  throw invalidValue(path, 'must be true or false');
}

/** The last value that is marked as primary remains it (RFC 7644, section 3.5.2). */
function withOnePrimary(list: readonly Resource[]): Resource[] {
  const last = list.findLastIndex(({ primary }) => primary === true);
  return list.map((each, index) =>
    each['primary'] === true && index !== last ? { ...each, primary: false } : each,
  );
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
