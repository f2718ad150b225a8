import type { JsonValue } from '../../common/json/token-reader';
import {
  COLUMN_TYPE_NAMES,
  COLUMN_TYPES,
  type ColumnType,
  valueCheckFor,
  valueShapeFor,
} from './column-type';
import { holdsEveryValue } from './type-change';
import type { ColumnOptions } from './descriptor';

const options = { choices: ['1', 'two'] };
const rules = (type: ColumnType): { type: ColumnType; options: object } => ({
  type,
  options: COLUMN_TYPES[type].hasChoices ? options : {},
});

/** Sample values of each type in normal form. */
const SAMPLES: Record<ColumnType, readonly unknown[]> = {
  text: ['', '1', 'a@example.com', 'anything'],
  integer: [0, -5, 9007199254740991],
  number: [0, 1.5, 1e300],
  decimal: ['1', '1.50', '-0'],
  boolean: [true, false],
  date: ['2024-02-29'],
  datetime: ['2024-02-29T13:45:00.000Z'],
  select: ['1', 'two'],
  multiSelect: [[], ['1', 'two']],
  email: ['ada@example.com'],
  url: ['https://example.com/a'],
  json: ['1', 1, true, [], { a: null }],
  link: [1, 9007199254740991],
  multiLink: [[], [2, 1]],
  lookup: [],
  count: [],
  autonumber: [0, 9007199254740991],
  createdBy: ['019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b02'],
  updatedBy: ['019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b02'],
};

describe('holdsEveryValue', () => {
  const pairs = COLUMN_TYPE_NAMES.flatMap((from) =>
    COLUMN_TYPE_NAMES.map((to) => [from, to] as const),
  );
  const wide = pairs.filter(([from, to]) => holdsEveryValue(rules(from), rules(to)));

  it('returns true only for the type changes that no row can conflict with', () => {
    const changes = wide.filter(([from, to]) => from !== to && to !== 'json');
    expect(changes).toEqual([
      ['integer', 'number'],
      ['decimal', 'text'],
      ['date', 'text'],
      ['datetime', 'text'],
      ['select', 'text'],
      ['email', 'text'],
      ['url', 'text'],
      // Changes of links are rejected before the values are read.
      ['link', 'number'],
      ['autonumber', 'number'],
      ['createdBy', 'text'],
      ['updatedBy', 'text'],
    ]);
    expect(wide.filter(([, to]) => to === 'json')).toHaveLength(COLUMN_TYPE_NAMES.length);
  });

  it.each(wide)('returns true for %s to %s, and the check accepts the values', (from, to) => {
    const check = valueCheckFor(to, rules(to).options);
    for (const value of SAMPLES[from]) expect(check(value)).toEqual({ ok: true, value });
  });

  it.each(['select', 'multiSelect'] as const)(
    'allows a %s to gain choices but not to lose them',
    (type) => {
      const before = { type, options: { choices: ['a', 'b'] } };
      expect(holdsEveryValue(before, { type, options: { choices: ['c', 'b', 'a'] } })).toBe(true);
      expect(holdsEveryValue(before, { type, options: { choices: ['b', 'c'] } })).toBe(false);
    },
  );
});

const CHOICES = { choices: ['a', '"\\\u0001', 'ü'.repeat(200), '𝒳'.repeat(200)] };

/** The longest possible values, and ordinary ones. */
const VALUES: Readonly<Record<Exclude<ColumnType, 'json'>, readonly JsonValue[]>> = {
  text: ['', 'a'.repeat(1_000_000)],
  integer: [0, -9007199254740991],
  number: [-1.7976931348623157e308, -2.2250738585072014e-308, -5e-324],
  decimal: [
    '0',
    `-${'9'.repeat(38)}`,
    `-${'9'.repeat(20)}.${'9'.repeat(18)}`,
    '-0.000000000000000001',
  ],
  boolean: [true, false],
  date: ['0001-01-01', '9999-12-31'],
  datetime: ['0001-01-01T00:00:00.000Z'],
  select: CHOICES.choices,
  multiSelect: [[], ['a'], CHOICES.choices],
  email: [`ü@example.com`, `${'ü'.repeat(32)}@${`${'a'.repeat(60)}.`.repeat(3)}example.com`],
  link: [1, 9007199254740991],
  multiLink: [[], Array.from({ length: 200 }, (_, index) => 9007199254740991 - index)],
  url: [`https://example.com/${'€'.repeat(8_172)}`],
  lookup: [],
  count: [],
  autonumber: [0, 9007199254740991],
  createdBy: ['019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b02'],
  updatedBy: ['019aa2f4-5c1e-7c1a-9d53-0a4c6f0f7b02'],
};

const JSONB_TYPES = { string: 'string', number: 'number', boolean: 'boolean' };

const typeOf = (value: JsonValue): string =>
  Array.isArray(value) ? 'array' : JSONB_TYPES[typeof value as 'string'];

/** Counts bytes as `maxBytes` does. */
function bytesOf(value: JsonValue): number {
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, item) => sum + bytesOf(item as JsonValue) + 4, 0);
  }
  return Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value));
}

describe('mayBeTruncated', () => {
  /** Number of characters that an index entry holds. */
  const ENTRY_CHARACTERS = 600;

  it('is true for exactly the types of text values that can be longer than an index entry', () => {
    const types = COLUMN_TYPE_NAMES.filter((type) => COLUMN_TYPES[type].comparedAs === 'text');
    const isLong = (value: JsonValue): boolean =>
      typeof value === 'string' && Array.from(value).length > ENTRY_CHARACTERS;
    const long = types.filter((type) => type !== 'json' && VALUES[type].some(isLong));
    expect(types.filter((type) => COLUMN_TYPES[type].mayBeTruncated)).toEqual(long);
  });
});

describe('valueShapeFor', () => {
  const cases = Object.entries(VALUES).flatMap(([type, values]) =>
    values.map((value): [ColumnType, string, JsonValue] => [
      type as ColumnType,
      JSON.stringify(value).slice(0, 30),
      value,
    ]),
  );

  it.each(cases)('describes for %s the value %s, which the check accepts', (type, _, value) => {
    const options: ColumnOptions = type.endsWith('elect') ? CHOICES : {};
    expect(valueCheckFor(type, options)(value)).toEqual({ ok: true, value });
    const shape = valueShapeFor(type, options);
    expect(shape.jsonType).toBe(typeOf(value));
    expect(bytesOf(value)).toBeLessThanOrEqual(shape.maxBytes ?? Infinity);
  });

  it('returns no JSON type and no maximum length for json', () => {
    expect(valueShapeFor('json', {})).toEqual({ jsonType: null, maxBytes: null });
  });

  it.each<[ColumnType, readonly JsonValue[]]>([
    ['text', ['', 'a', 'ü€𝒳', '2024-02-29', 'null']],
    ['boolean', [true, false]],
  ])('returns no maximum length for %s if the JSON type alone decides', (type, values) => {
    expect(valueShapeFor(type, {}).maxBytes).toBeNull();
    for (const value of values) expect(valueCheckFor(type, {})(value).ok).toBe(true);
  });
});
