import fc from 'fast-check';

/** Columns of the datagrids that requests use: one of each type, and a unique one. */
export const COLUMNS = [
  { key: 'u', type: 'text', unique: true },
  { key: 'text', type: 'text', indexed: true },
  { key: 'integer', type: 'integer', indexed: true },
  { key: 'number', type: 'number' },
  { key: 'decimal', type: 'decimal' },
  { key: 'boolean', type: 'boolean' },
  { key: 'date', type: 'date' },
  { key: 'datetime', type: 'datetime' },
  { key: 'select', type: 'select', options: { choices: ['a', 'b', 'ä'] } },
  { key: 'multiSelect', type: 'multiSelect', options: { choices: ['a', 'b', 'ä'] } },
  { key: 'email', type: 'email' },
  { key: 'url', type: 'url' },
  { key: 'json', type: 'json' },
] as const;

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\ud800',
    '%',
    "'; DROP TABLE rows; --",
    '__proto__',
    'constructor',
    '../..',
    '\u202e',
    'İ',
    '\\',
    '"',
    'null',
    '$ref',
  ),
);

export const anyNumber = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, -1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 1e308, 5e-324),
);

/** Any JSON, with a high share of values that often cause errors. */
export const anyJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: anyText },
  { weight: 2, arbitrary: anyNumber },
  { weight: 1, arbitrary: fc.constantFrom(null, true, false) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(anyText, anyText, { maxKeys: 3 }) },
);

export const hostileText = anyText;

const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());
const choice = fc.constantFrom('a', 'b', 'ä');

const OF_TYPE: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  text: fc.string({ unit: 'grapheme-ascii', maxLength: 20 }),
  integer: fc.integer(),
  number: fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => Math.fround(value) / 8),
  decimal: fc.integer().map((value) => `${String(value)}.25`),
  boolean: fc.boolean(),
  date: day.map((text) => text.slice(0, 10)),
  datetime: day,
  select: choice,
  multiSelect: fc.uniqueArray(choice, { maxLength: 3 }),
  email: fc.constantFrom('a@example.com', 'B@example.org'),
  url: fc.webUrl(),
  json: fc.jsonValue({ maxDepth: 2 }),
};

const value = (type: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 100, arbitrary: OF_TYPE[type] ?? fc.constant(null) },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: anyJson },
  );

const members = Object.fromEntries(COLUMNS.map(({ key, type }) => [key, value(type)]));

export const rowValues = fc.oneof(
  { weight: 20, arbitrary: fc.record(members, { requiredKeys: [] }) },
  { weight: 2, arbitrary: fc.dictionary(hostileText, anyJson, { maxKeys: 3 }) },
  { weight: 1, arbitrary: anyJson },
);

const OPERATORS = ['$eq', '$ne', '$in', '$nin', '$isNull', '$gt', '$gte', '$lt', '$lte'].concat(
  '$contains',
  '$startsWith',
  '$endsWith',
  '$containsAny',
  '$nothing',
);

const wildCondition = fc.constantFrom(...COLUMNS).chain(({ key, type }) => {
  const one = value(type);
  const operand = fc.oneof(one, fc.array(one, { maxLength: 3 }), fc.boolean());
  return fc
    .oneof(one, fc.dictionary(fc.constantFrom(...OPERATORS), operand, { minKeys: 1, maxKeys: 2 }))
    .map((operators) => ({ [key]: operators }));
});

/** Columns that filters and sorts can compare. */
const COMPARED = COLUMNS.filter(({ type }) => type !== 'json' && type !== 'multiSelect');

const goodCondition = fc.constantFrom(...COMPARED).chain(({ key, type }) => {
  const one = OF_TYPE[type] ?? fc.constant(null);
  const operators = fc.oneof(
    one,
    fc
      .tuple(fc.constantFrom('$eq', '$ne'), one)
      .map(([operator, operand]) => ({ [operator]: operand })),
    fc.array(one, { minLength: 1, maxLength: 3 }).map((operand) => ({ $in: operand })),
    fc.boolean().map((operand) => ({ $isNull: operand })),
  );
  return operators.map((each) => ({ [key]: each }));
});

const condition = fc.oneof(
  { weight: 8, arbitrary: goodCondition },
  { weight: 1, arbitrary: wildCondition },
);

export const filter: fc.Arbitrary<unknown> = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 12, arbitrary: condition },
    { weight: 1, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom('$and', '$or'), fc.array(tie('node'), { maxLength: 3 }))
        .map(([operator, parts]) => ({ [operator]: parts })),
    },
    { weight: 1, arbitrary: tie('node').map((part) => ({ $not: part })) },
    { weight: 1, arbitrary: anyJson },
  ),
})).node;

const keys = fc.constantFrom(...COLUMNS.map(({ key }) => key));

export const keyList = fc.oneof(
  { weight: 8, arbitrary: fc.uniqueArray(keys, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(hostileText, { maxLength: 2 }) },
);

const sorted = fc.uniqueArray(fc.constantFrom(...COMPARED.map(({ key }) => key)), {
  minLength: 1,
  maxLength: 3,
});

export const sort = fc
  .tuple(
    fc.oneof({ weight: 8, arbitrary: sorted }, { weight: 1, arbitrary: keyList }),
    fc.boolean(),
  )
  .map(([list, isDown]) => list.map((key) => (isDown ? `-${key}` : key)).join(','));
