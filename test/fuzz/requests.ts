import fc from 'fast-check';
import type { ParameterObject } from '@nestjs/swagger';
import { OPERATIONS_AND_ALIASES, resolved } from '../support/openapi-file';
import { bodyText, csvText, LAST, ndjsonText, validValue } from './bodies';
import { hostileText } from './values';

export type Operation = (typeof OPERATIONS_AND_ALIASES)[number];
type Caller = 'owner' | 'viewer' | 'noKey' | 'unknownKey';

/** Value of a path parameter: an existing id by its index, or a text that is sent as it is. */
export type PathValue = { readonly index: number } | { readonly text: string };

/** A request without the values that are known only when it is sent: ids, cursors and ETags. */
export interface FuzzRequest {
  /** Undefined for a method or route that does not exist. */
  readonly operation: Operation | undefined;
  readonly method: string;
  /** Path with its parameters in braces. */
  readonly path: string;
  readonly pathValues: Readonly<Record<string, PathValue>>;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly caller: Caller;
}

/** Replaces unpaired surrogates, which cannot be sent, with the replacement character. */
const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());

const pathValue: fc.Arbitrary<PathValue> = fc.oneof(
  { weight: 40, arbitrary: fc.nat().map((index) => ({ index })) },
  { weight: 1, arbitrary: fc.uuid().map((text) => ({ text })) },
  {
    weight: 1,
    arbitrary: hostileText
      // An empty segment or a dot segment would change the path.
      .filter((text) => !/^\.{0,2}$/.test(text) && text.trim() !== '')
      .map((text) => ({ text: `~${encoded(text)}` })),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('%00', '%ff', '%zz', '0', '-1', '1e3', '99999999999999999999')
      .map((text) => ({ text })),
  },
);

/** Returns a query with about two parameters: of many at random, some would nearly always contradict others. */
function queryOf(parameters: readonly ParameterObject[]): fc.Arbitrary<string> {
  const absent = Math.max(16, 4 * parameters.length);
  const each = parameters.map(({ name, schema }) => {
    const good =
      name === 'cursor'
        ? fc.constantFrom('', LAST)
        : validValue(schema ?? {}, name).map((value) =>
            typeof value === 'string'
              ? value
              : name === 'matchOn'
                ? String(value)
                : JSON.stringify(value),
          );
    return fc.oneof(
      { weight: absent, arbitrary: fc.constant([]) },
      { weight: 8, arbitrary: good.map((value) => [`${name}=${encoded(value)}`]) },
      { weight: 1, arbitrary: hostileText.map((value) => [`${name}=${encoded(value)}`]) },
    );
  });
  const odd = fc.oneof(
    { weight: 30, arbitrary: fc.constant<string[]>([]) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ['page=1', 'page=2'],
        ['limit[]=1'],
        ['%'],
        ['a=%ff'],
        ['__proto__=1'],
      ),
    },
  );
  return fc.tuple(...each, odd).map((parts) => parts.flat().join('&'));
}

type Headers = Readonly<Record<string, string>>;

/** A header in one of `weight + 1` cases. */
const sometimes = (weight: number, header: fc.Arbitrary<Headers>): fc.Arbitrary<Headers> =>
  fc.oneof({ weight, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: header });

const headers = fc
  .tuple(
    sometimes(
      4,
      fc
        .constantFrom('*', LAST, '"1-1"', 'W/"1-1"', 'nonsense', '')
        .map((tag) => ({ 'if-match': tag })),
    ),
    sometimes(
      6,
      fc.constantFrom('*', LAST, '"1-1"', 'nonsense').map((tag) => ({ 'if-none-match': tag })),
    ),
    sometimes(
      8,
      fc
        .constantFrom('1', '2', '3', 'x'.repeat(255), 'x'.repeat(256), '')
        .map((key) => ({ 'idempotency-key': key })),
    ),
    sometimes(
      8,
      fc
        .constantFrom('gzip', 'br', 'identity;q=0', 'br, zstd;q=0, gzip;q=0.5', ';;', '*')
        .map((form) => ({ 'accept-encoding': form })),
    ),
    sometimes(
      20,
      fc.constantFrom('ok-1', '<script>', 'x'.repeat(300)).map((id) => ({ 'x-request-id': id })),
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as Record<string, string>);

/** The `Content-Type` of a body, which is mostly correct. */
const typed = (type: string): fc.Arbitrary<Record<string, string>> =>
  fc.oneof(
    { weight: 25, arbitrary: fc.constant({ 'content-type': type }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        {},
        { 'content-type': 'text/plain' },
        { 'content-type': 'application/json; charset=latin1' },
        { 'content-type': ';' },
        { 'content-type': type, 'content-encoding': 'gzip' },
        { 'content-type': type, 'content-encoding': 'nonsense' },
      ),
    },
  );

interface Body {
  readonly text: string | undefined;
  readonly headers: Record<string, string>;
}

function bodyOf({ spec }: Operation): fc.Arbitrary<Body> {
  if (!spec.requestBody) {
    const none = { text: undefined, headers: {} };
    const some = { text: '{}', headers: { 'content-type': 'application/json' } };
    return fc.oneof(
      { weight: 20, arbitrary: fc.constant(none) },
      { weight: 1, arbitrary: fc.constant(some) },
    );
  }
  const { content } = resolved(spec.requestBody) as {
    content: Record<string, { schema?: object }>;
  };
  const kinds = Object.entries(content).map(([type, { schema = {} }]) => {
    const text =
      type === 'text/csv' || type === 'application/octet-stream'
        ? csvText
        : type === 'application/x-ndjson'
          ? ndjsonText
          : bodyText(schema);
    return fc.tuple(text, typed(type)).map(([body, more]) => ({ text: body, headers: more }));
  });
  return fc.oneof(...kinds);
}

const caller: fc.Arbitrary<Caller> = fc.oneof(
  { weight: 30, arbitrary: fc.constant<Caller>('owner') },
  { weight: 1, arbitrary: fc.constantFrom<Caller>('viewer', 'noKey', 'unknownKey') },
);

/**
 * Values of the path parameters. Ids with the same index were mostly created together, so that a
 * connection is in its workspace: most requests have such ids.
 */
function pathValuesOf(names: readonly string[]): fc.Arbitrary<FuzzRequest['pathValues']> {
  const apart = fc.record(Object.fromEntries(names.map((name) => [name, pathValue])));
  const alike = fc.tuple(apart, fc.nat()).map(([values, index]) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        const isCreated = 'index' in value && name !== 'rowId' && name !== 'key';
        return [name, isCreated ? { index } : value];
      }),
    ),
  );
  return fc.oneof({ weight: 1, arbitrary: apart }, { weight: 3, arbitrary: alike });
}

export function requestOf(operation: Operation): fc.Arbitrary<FuzzRequest> {
  const parameters = (operation.spec.parameters ?? []).map((each) =>
    resolved<ParameterObject>(each),
  );
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const query = queryOf(parameters.filter((each) => each.in === 'query'));
  return fc
    .record({
      pathValues: pathValuesOf(names),
      query,
      headers,
      body: bodyOf(operation),
      caller,
    })
    .map(({ body, ...rest }) => ({
      operation,
      method: operation.method.toUpperCase(),
      path: operation.path,
      ...rest,
      headers: { ...rest.headers, ...body.headers },
      body: body.text,
    }));
}

/** A request with a method that its route does not have, or for an unknown route. */
const stray: fc.Arbitrary<FuzzRequest> = fc
  .record({
    operation: fc.constant(undefined),
    method: fc.constantFrom('LINK', 'PROPFIND', 'OPTIONS', 'TRACE'),
    path: fc.constantFrom(
      ...OPERATIONS_AND_ALIASES.map(({ path }) => path),
      '/api/v1/public',
      '/api/v1/public/{x}/y',
    ),
    query: fc.constantFrom('', 'page=0'),
    headers,
    body: fc.constant(undefined),
    caller,
  })
  .map((request) => ({
    ...request,
    pathValues: Object.fromEntries(
      [...request.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, { index: 0 }]),
    ),
  }));

/** Requests for the operations that read or write streams. */
export const streamRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...OPERATIONS_AND_ALIASES.filter(({ path }) => /\/(export|import|changes)$/.test(path)).map(
    requestOf,
  ),
);

/** Requests for all documented operations in equal shares, and for unknown methods and routes. */
export const anyRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...OPERATIONS_AND_ALIASES.map(requestOf),
  stray,
);
