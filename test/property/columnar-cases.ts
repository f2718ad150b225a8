import * as fc from 'fast-check';
import type { ApiClient, ApiResponse } from '../support/api-client';
import { nested } from './nested-filter';

const CHOICES = ['open', 'paid', 'späť'];

/** `odd` and `exact` have values that no DECIMAL holds together. */
export const COLUMNS = [
  { key: 'name', type: 'text' },
  { key: 'folded', type: 'text', options: { ignoreCase: true } },
  { key: 'mail', type: 'email' },
  { key: 'count', type: 'integer' },
  { key: 'weight', type: 'number' },
  { key: 'odd', type: 'number' },
  { key: 'amount', type: 'decimal' },
  { key: 'exact', type: 'decimal' },
  { key: 'paid', type: 'boolean' },
  { key: 'day', type: 'date' },
  { key: 'at', type: 'datetime' },
  { key: 'status', type: 'select', options: { choices: CHOICES } },
  { key: 'tags', type: 'multiSelect', options: { choices: CHOICES } },
  { key: 'extra', type: 'json' },
  { key: 'serial', type: 'autonumber' },
  { key: 'author', type: 'createdBy' },
];

const text = fc.oneof(
  fc.constantFrom(
    ...['', 'a', 'A', 'ab', 'aB', 'Äb', 'ÄB', 'äb', 'z', 'é', 'e\u0301', '😀', '\uffff', '%', "'"],
    ...['\\', '"', 'ß', 'ẞ', 'Ω', 'İ', 'i̇', 'ΟΔΟΣ', 'οδος', 'οδοσ', 'a\nb', '\\N', 'a,b'],
    ...['\ufeff', '\ufeffab', '=a', 'x', 'X', 'xy', 'XY'],
    ...['', 'a', 'B'].map((end) => `${'long '.repeat(150)}${end}`),
  ),
  fc.string({ unit: 'grapheme-composite', maxLength: 4 }).filter((s) => !s.includes('\0')),
);
const DAYS = ['0001-01-01', '0999-12-31', '2024-02-29', '2026-01-04', '2026-01-05', '9999-12-31'];
const TIMES = DAYS.flatMap((day) => [`${day}T00:00:00.000Z`, `${day}T23:59:59.999Z`]);

const VALUES: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  name: text,
  folded: text,
  mail: fc.constantFrom('ada@example.com', 'ADA@example.com', 'äda@example.com', 'b@example.com'),
  count: fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER),
  ),
  weight: fc.constantFrom(0, 0.1, 0.2, -0.25, 1e-7, 12345.678, -1, 2, 1e10),
  odd: fc.constantFrom(0, 1, 0.1, 1e21, 5e-324, -1.5e308),
  amount: fc.constantFrom('0', '-0', '1.5', '1.50', '-1.500', '12.25', '0.001', '1000000000'),
  exact: fc.constantFrom(
    ...['0', '0.000000000000000001', '99999999999999999999.999999999999999999', '1.5'],
    '99999999999999999999999999999999999999',
  ),
  paid: fc.boolean(),
  day: fc.constantFrom(...DAYS),
  at: fc.constantFrom(...TIMES),
  status: fc.constantFrom(...CHOICES),
  tags: fc.subarray(CHOICES),
  extra: fc.constantFrom<unknown>(1, 'a', [], {}, false, { a: null }),
};
export const row = fc.record(VALUES, { requiredKeys: [] });

const NOW_MS = Date.now();
const time = fc
  .integer({ min: -500, max: 60_000 })
  .map((ms) => new Date(NOW_MS + ms).toISOString());
const number = fc.integer({ min: 0, max: 60 });
const OPERANDS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  ...VALUES,
  // With digits that no value has.
  weight: fc.oneof(VALUES['weight'] ?? number, fc.constantFrom(0.15, -0.255, 1e300, -1e300)),
  amount: fc.oneof(VALUES['amount'] ?? number, fc.constantFrom('1.505', '-1.505', 1.5, 1e30)),
  serial: number,
  author: fc.constantFrom('', 'x'),
  _id: number,
  _revision: number,
  _createdAt: time,
  _updatedAt: time,
};
const operandOf = (key: string): fc.Arbitrary<unknown> => OPERANDS[key] ?? number;

/** Shortens a text to what a search accepts. */
const needle = text.map((value) => Array.from(value).slice(-256).join(''));

const NOT_ORDERED = ['paid', 'status', 'tags', 'extra'];
const ORDERED = Object.keys(OPERANDS).filter((key) => !NOT_ORDERED.includes(key));
const SORTED = [...ORDERED, 'paid', 'status'];

const condition = fc.oneof(
  ...ORDERED.flatMap((key) => [
    fc
      .tuple(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), operandOf(key))
      .map(([operator, value]) => ({ [key]: { [operator]: value } })),
    fc
      .tuple(fc.constantFrom('$in', '$nin'), fc.array(operandOf(key), { maxLength: 4 }))
      .map(([operator, list]) => ({ [key]: { [operator]: list } })),
  ]),
  ...['paid', 'status'].map((key) =>
    fc
      .tuple(fc.constantFrom('$eq', '$ne'), operandOf(key))
      .map(([operator, value]) => ({ [key]: { [operator]: value } })),
  ),
  fc
    .tuple(
      fc.constantFrom('name', 'folded', 'mail'),
      fc.constantFrom('$startsWith', '$endsWith', '$contains'),
      fc.oneof(needle, fc.constantFrom('ong', 'g a', 'ADA', 'da@', 'Σ', 'σ', 'ς', 'i')),
    )
    .map(([key, operator, value]) => ({ [key]: { [operator]: value } })),
  fc.constantFrom(...CHOICES).map((choice) => ({ tags: { $contains: choice } })),
  fc.subarray(CHOICES).map((choices) => ({ tags: { $containsAny: choices } })),
  fc
    .tuple(fc.constantFrom('_id', ...COLUMNS.map(({ key }) => key)), fc.boolean())
    .map(([key, isNull]) => ({ [key]: { $isNull: isNull } })),
);
const filter = nested(condition);
const matching = fc.record(
  { filter, q: fc.oneof(needle, fc.constantFrom('a', 'ADA', 'Σ')).filter((q) => q !== '') },
  { requiredKeys: [] },
);

/** Responses that must be equal on both instances. */
export type ComparedResponses = readonly Pick<ApiResponse, 'status' | 'text'>[];
export type Query = (api: ApiClient, path: string) => Promise<ComparedResponses>;

async function comparedResponse(
  response: Promise<ApiResponse>,
): Promise<ComparedResponses[number] & { etag: unknown }> {
  const { status, text: body, headers } = await response;
  return { status, text: body.replaceAll(/"requestId":"[^"]*"/g, ''), etag: headers.get('etag') };
}

/** Reads one numbered page, or up to four pages by cursor. */
export const pageQuery: fc.Arbitrary<Query> = fc
  .record({
    matching,
    sort: fc.shuffledSubarray(SORTED, { maxLength: 4 }),
    descends: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
    limit: fc.integer({ min: 1, max: 20 }),
    page: fc.integer({ min: 1, max: 3 }),
    isByCursor: fc.boolean(),
  })
  .map(({ matching: match, sort, descends, limit, page, isByCursor }): Query => {
    const keys = sort.map((key, index) => (descends[index] === true ? `-${key}` : key));
    const body = { ...match, ...(keys.length > 0 && { sort: keys.join(',') }), limit };
    const query: Query = async (api, path) => {
      if (!isByCursor)
        return [await comparedResponse(api.post(`${path}/query`, { ...body, page }))];
      const responses: ComparedResponses[number][] = [];
      for (let cursor: string | null = ''; cursor !== null && responses.length < 4;) {
        const response = await api.post(`${path}/query`, { ...body, cursor });
        responses.push({ status: response.status, text: response.text });
        cursor = (response.body.meta?.nextCursor as string | undefined) ?? null;
      }
      return responses;
    };
    return Object.assign(query, {
      [fc.toStringMethod]: () => JSON.stringify({ body, page, isByCursor }),
    });
  });

/** Exports the rows that match. */
export const exportQuery: fc.Arbitrary<Query> = fc
  .record({
    matching,
    sort: fc.shuffledSubarray(SORTED, { maxLength: 2 }),
    fields: fc.option(fc.subarray(Object.keys(VALUES), { minLength: 1 })),
    format: fc.constantFrom({}, { format: 'csv' }, { shape: 'row' }),
  })
  .map(({ matching: { filter: match, q }, sort, fields, format }): Query => {
    const parameters = new URLSearchParams({
      ...format,
      ...(match !== undefined && { filter: JSON.stringify(match) }),
      ...(q !== undefined && { q }),
      ...(sort.length > 0 && { sort: sort.join(',') }),
      ...(fields && { fields: fields.join(',') }),
    });
    const query: Query = async (api, path) => [
      await comparedResponse(api.get(`${path}/export?${parameters.toString()}`)),
    ];
    return Object.assign(query, { [fc.toStringMethod]: () => parameters.toString() });
  });

const groupKey = fc.oneof(
  fc.constantFrom(...SORTED.filter((key) => !key.startsWith('_'))).map((column) => ({ column })),
  fc.record({
    column: fc.constantFrom('day', 'at'),
    bucket: fc.constantFrom('day', 'week', 'month', 'quarter', 'year'),
  }),
);
const aggregate = fc.oneof(
  fc.constant({ function: 'count', column: undefined }),
  fc.record({
    function: fc.constantFrom('count', 'countDistinct', 'sum', 'avg', 'min', 'max'),
    column: fc.constantFrom('count', 'weight', 'odd', 'amount', 'exact', 'serial'),
  }),
  fc.record({
    function: fc.constantFrom('count', 'countDistinct', 'min', 'max'),
    column: fc.constantFrom('name', 'folded', 'mail', 'day', 'at'),
  }),
  fc.record({ function: fc.constant('count'), column: fc.constantFrom('tags', 'extra', 'paid') }),
);

export const aggregateQuery: fc.Arbitrary<Query> = fc
  .record({
    matching,
    groupBy: fc.uniqueArray(groupKey, { maxLength: 3, selector: ({ column }) => column }),
    aggregates: fc.uniqueArray(aggregate, {
      minLength: 1,
      maxLength: 5,
      selector: ({ function: applied, column }) => `${applied}_${column ?? ''}`,
    }),
    order: fc.array(fc.tuple(fc.nat({ max: 7 }), fc.boolean()), { maxLength: 2 }),
    limit: fc.integer({ min: 1, max: 30 }),
  })
  .map(({ matching: match, groupBy, aggregates, order, limit }): Query => {
    const named = aggregates.map((one, index) => ({ ...one, as: `a${String(index)}` }));
    const names = [...named.map(({ as }) => as), ...groupBy.map(({ column }) => column)];
    const keys = order.flatMap(([at, isDescending]) => {
      const name = names[at];
      return name === undefined ? [] : [{ name, text: isDescending ? `-${name}` : name }];
    });
    const sort = keys.filter(({ name }, at) => keys.findIndex((one) => one.name === name) === at);
    const body = {
      ...match,
      groupBy,
      aggregates: named,
      limit,
      ...(sort.length > 0 && { sort: sort.map((one) => one.text).join(',') }),
    };
    const query: Query = async (api, path) => [
      await comparedResponse(api.post(`${path}/aggregate`, body)),
    ];
    return Object.assign(query, { [fc.toStringMethod]: () => JSON.stringify(body) });
  });

export type Write = (api: ApiClient, path: string) => Promise<unknown>;

const id = fc.integer({ min: 1, max: 60 }).map(String);

export const anyWrite: fc.Arbitrary<Write> = fc.oneof(
  row.map(
    (values): Write =>
      (api, path) =>
        api.post(path, { values }),
  ),
  fc.array(row, { minLength: 1, maxLength: 5 }).map(
    (rows): Write =>
      (api, path) =>
        api.post(path, { rows: rows.map((values) => ({ values })) }),
  ),
  fc.tuple(id, row).map(
    ([at, values]): Write =>
      (api, path) =>
        api.put(`${path}/${at}`, { values }),
  ),
  fc.tuple(id, row).map(
    ([at, values]): Write =>
      (api, path) =>
        api.patch(`${path}/${at}`, { values }),
  ),
  id.map(
    (at): Write =>
      (api, path) =>
        api.delete(`${path}/${at}`),
  ),
  fc.uniqueArray(id, { minLength: 1, maxLength: 4 }).map(
    (ids): Write =>
      (api, path) =>
        api.post(`${path}/batch`, {
          operations: ids.map((at) => ({ op: 'delete', id: Number(at) })),
        }),
  ),
);
