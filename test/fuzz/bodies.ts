import fc from 'fast-check';
import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { resolved } from '../support/openapi-file';
import { DELETED_ROWS, REMOVED_COLUMN } from './known-resources';
import {
  anyJson,
  anyNumber,
  COLUMNS,
  filter,
  hostileText,
  keyList,
  rowValues,
  sort,
} from './values';

/** Placeholder for the cursor or the ETag of the latest response. */
export const LAST = 'LATEST';

/** Placeholder for a view of the datagrid in the path. */
export const VIEW = 'VIEW_OF_DATAGRID';

/** Placeholder for a datagrid in the workspace of the connection in the path. */
export const DATAGRID = 'DATAGRID_OF_CONNECTION';

type Schema = SchemaObject | ReferenceObject;

const rowId = fc.integer({ min: 1, max: 60 });
const matchOn = fc.constant(['u']);
const matching = fc.record({ u: fc.constantFrom('1', '2', 'new'), integer: fc.integer() });

/** Operations of a batch. Their other properties depend on `op`, which the schema does not express. */
const operation = fc.oneof(
  fc.record({ op: fc.constant('create'), values: rowValues }),
  fc.record({ op: fc.constantFrom('update', 'replace'), id: rowId, values: rowValues }),
  fc.record({ op: fc.constant('delete'), id: rowId }),
  fc.record({ op: fc.constant('upsert'), matchOn, values: matching }),
);

/** Values of properties whose schema is too general. */
const BY_NAME: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  values: rowValues,
  filter,
  sort,
  fields: keyList.map((keys) => keys.join(',')),
  expand: keyList.map((keys) => keys.slice(0, 2).join('.')),
  operations: fc.array(operation, { minLength: 1, maxLength: 5 }),
  url: fc.constantFrom('https://receiver.invalid/', 'https://receiver.invalid/b', 'nowhere'),
  datagridIds: fc.constantFrom(null, []),
  settings: fc.constantFrom(
    { host: 'warehouse.invalid', database: 'fuzz', user: 'fuzz' },
    { host: '127.0.0.1', port: 1, database: 'fuzz', user: 'fuzz', schema: 'a"b', tls: false },
    { file: 'fuzz' },
  ),
  since: fc.constantFrom(new Date().toISOString(), 'today'),
  expiresAt: fc.constantFrom(null, '2099-12-31T00:00:00Z', '2020-01-01T00:00:00Z', 'tomorrow'),
  revision: fc.integer({ min: 1, max: 3 }),
  matchOn: fc.oneof(
    { weight: 4, arbitrary: fc.constant(['u']) },
    { weight: 1, arbitrary: keyList },
  ),
  columns: fc.oneof(
    { weight: 3, arbitrary: fc.subarray([...COLUMNS]) },
    { weight: 1, arbitrary: anyJson },
  ),
  // Few, so that duplicates occur.
  key: fc.oneof(fc.constantFrom('text', 'extra', 'more'), fc.stringMatching(/^[a-z]{1,5}$/)),
  // Columns of groups and aggregates.
  column: fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(...COLUMNS.map(({ key }) => key), '_id', '_createdAt'),
    },
    { weight: 1, arbitrary: hostileText },
  ),
  // Of a row, or of a column.
  id: fc.oneof(
    { weight: 2, arbitrary: rowId },
    { weight: 1, arbitrary: fc.constant(REMOVED_COLUMN) },
  ),
  // A restoration fails if one of the rows is not in the trash.
  ids: fc.oneof(
    { weight: 3, arbitrary: fc.subarray([...DELETED_ROWS], { minLength: 1, maxLength: 2 }) },
    { weight: 1, arbitrary: fc.array(rowId, { minLength: 1, maxLength: 4 }) },
  ),
  cursor: fc.constantFrom('', LAST),
  view: fc.constant(VIEW),
  // More often the types that can be changed into each other and need no options.
  type: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('text', 'json', 'boolean') },
    { weight: 1, arbitrary: fc.constantFrom(...new Set(COLUMNS.map(({ type }) => type))) },
    { weight: 1, arbitrary: fc.constantFrom('lookup', 'count') },
  ),
  convert: fc.boolean(),
  sql: fc.oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(
        'SELECT 1',
        'FROM fuzz LIMIT 3',
        'SELECT count(*) FROM fuzz',
        'SELECT $1 AS a',
        'WITH a AS (FROM range(2000) r(i)) SELECT i, repeat($1, 3) FROM a',
        "SELECT 'inf'::DOUBLE, [1, NULL], {'a': uuid()}",
        'FROM duckdb_settings()',
        'DROP TABLE fuzz',
      ),
    },
    { weight: 1, arbitrary: hostileText },
  ),
  parameters: fc.constantFrom([], [1], ['x'], [null, 2], { a: true }, 'x'),
  defaultValue: fc.oneof(fc.constantFrom(null, 'x', true), anyJson),
  options: fc.oneof(
    fc.constant({}),
    fc.record({
      choices: fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 3 }),
    }),
    fc.record(
      {
        datagridId: fc.constant(DATAGRID),
        link: fc.oneof(fc.constantFrom(...COLUMNS.map(({ key }) => key)), hostileText),
        column: fc.oneof(fc.constantFrom(...COLUMNS.map(({ key }) => key)), hostileText),
      },
      { requiredKeys: [] },
    ),
  ),
};

/** Generates values that a schema accepts. */
export function validValue(schema: Schema, name = ''): fc.Arbitrary<unknown> {
  const { type, enum: values, allOf, oneOf, ...rest } = resolved<SchemaObject>(schema);
  // The type of a destination is not that of a column.
  const known = values?.includes('duckdb') === true ? undefined : BY_NAME[name];
  if (known) return known;
  const [only] = allOf ?? [];
  if (only) return validValue(only, name);
  if (oneOf) return fc.oneof(...oneOf.map((each) => validValue(each, name)));
  if (values) return fc.constantFrom(...(values as unknown[]));
  switch (type) {
    case 'string':
      return text(rest);
    case 'integer':
      return fc.integer({ min: rest.minimum ?? 0, max: 60 });
    case 'number':
      return fc.integer({ min: 1, max: 60 });
    case 'boolean':
      return fc.boolean();
    case 'array': {
      const items = validValue(rest.items ?? {});
      return fc.array(items, { minLength: rest.minItems ?? 0, maxLength: 4 });
    }
    case 'object':
    case undefined:
    default:
      return object(rest);
  }
}

function text({ minLength = 0, pattern }: SchemaObject): fc.Arbitrary<string> {
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return fc.oneof(fc.string({ minLength, maxLength: 12 }), fc.uuid());
}

/** Values for a scheduled import. Its schema does not say that it has either a query or a table. */
const SCHEDULED_IMPORT: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: fc.constant('Fuzz'),
  datagridId: fc.constant(DATAGRID),
  query: fc.constantFrom('SELECT 1 AS u', 'SELECT', "SELECT ';"),
  keyColumns: matchOn,
  enabled: fc.boolean(),
};

/** A scheduled import, changes of one, or a preview, with those of its values that the schema has. */
function scheduledImport({ properties = {}, required = [] }: SchemaObject): fc.Arbitrary<unknown> {
  const values = Object.fromEntries(
    Object.entries(SCHEDULED_IMPORT).filter(([name]) => name in properties),
  );
  return fc.record(values, required.includes('keyColumns') ? {} : { requiredKeys: [] });
}

function object(schema: SchemaObject): fc.Arbitrary<unknown> {
  const any = anyObject(schema);
  if (schema.properties?.['keyColumns'] === undefined) return any;
  return fc.oneof(any, scheduledImport(schema));
}

function anyObject({ properties = {}, required = [] }: SchemaObject): fc.Arbitrary<unknown> {
  const members = Object.entries(properties).map(([name, each]) => {
    const value = validValue(each, name);
    return [name, required.includes(name) ? value : sometimes(value)];
  });
  return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>);
}

/** A value in one of four cases. Otherwise undefined, which is not printed. */
const sometimes = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });

/** Replaces or removes one value of a valid body. */
const corrupted = (whole: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.tuple(whole, fc.nat(), anyJson, fc.boolean()).map(([body, seed, other, leavesOut]) => {
    const places = placesOf(body);
    const place = places[seed % Math.max(places.length, 1)];
    if (!place) return other;
    const copy = structuredClone(body);
    put(copy, place, other, leavesOut);
    return copy;
  });

type Place = readonly (string | number)[];

function placesOf(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => [
    [...at, key],
    ...placesOf((value as Record<string, unknown>)[key], [...at, key]),
  ]);
}

function put(value: unknown, place: Place, other: unknown, leavesOut: boolean): void {
  const [last = ''] = place.slice(-1);
  const holder = place
    .slice(0, -1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], value) as object;
  // Also works for a property named __proto__.
  Object.defineProperty(holder, last, { value: other, enumerable: true, configurable: true });
  if (leavesOut && !Array.isArray(holder)) Reflect.deleteProperty(holder, last);
}

/** Texts that are invalid JSON, or unusual JSON. */
const RAW = [
  '',
  '{',
  '{"name":"a","name":"b"}',
  '{"__proto__":{"name":"a"}}',
  '{"values":{"number":1e400}}',
  '{"values":{"integer":9007199254740993}}',
  '{"values":{"number":1.00000000000000000000000000000001}}',
  '{"values":{"text":"\\u0000"}}',
  '{"values":{"json":"\\ud800"}}',
  `{"values":{"json":${'['.repeat(5_000)}${']'.repeat(5_000)}}}`,
  `{"filter":${'{"$not":'.repeat(200)}{}${'}'.repeat(200)}}`,
  '\ufeff{"name":"a"}',
  '[]',
  'null',
  '"text"',
  'NaN',
];

/** Generates bodies for a schema, most of which are valid. */
export const bodyText = (schema: Schema): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 12, arbitrary: validValue(schema).map(print) },
    { weight: 4, arbitrary: corrupted(validValue(schema)).map(print) },
    { weight: 1, arbitrary: anyJson.map(print) },
    { weight: 1, arbitrary: fc.constantFrom(...RAW) },
    { weight: 1, arbitrary: hostileText },
  );

function print(body: unknown): string {
  return JSON.stringify(body ?? null);
}

const cell = fc.oneof(
  hostileText,
  anyNumber.map(String),
  fc.constantFrom('', 'true', '2026-01-01'),
);
const line = fc.array(cell, { maxLength: 4 }).map((cells) => cells.join(','));

const anyCsv = fc
  .tuple(keyList, fc.array(line, { maxLength: 5 }))
  .map(([header, lines]) => [header.join(','), ...lines].join('\n'));
/** Values of a column that accepts them all. */
const fittingCsv = fc
  .array(fc.constantFrom('a', '1', 'true', '2026-01-01'), { minLength: 1, maxLength: 5 })
  .map((cells) => ['text', ...cells].join('\n'));
export const csvText = fc.oneof(anyCsv, fittingCsv);

export const ndjsonText = fc
  .array(fc.oneof({ weight: 6, arbitrary: rowValues.map(print) }, { weight: 1, arbitrary: cell }), {
    maxLength: 5,
  })
  .map((lines) => lines.join('\n'));
