import type { JsonValue } from '../../common/json/json-value';
import type { ColumnOptions, ColumnType } from './column-type';
import { valueCheckFor } from './value-check';
import { valueShapeFor } from './value-shape';

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
  url: [`https://example.com/${'€'.repeat(8_172)}`],
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

describe('the shape of a type’s values', () => {
  const cases = Object.entries(VALUES).flatMap(([type, values]) =>
    values.map((value): [ColumnType, string, JsonValue] => [
      type as ColumnType,
      JSON.stringify(value).slice(0, 30),
      value,
    ]),
  );

  it.each(cases)('is, for %s, that of %s, which the check accepts', (type, _, value) => {
    const options: ColumnOptions = type.endsWith('elect') ? CHOICES : {};
    expect(valueCheckFor(type, options)(value)).toEqual({ ok: true, value });
    const shape = valueShapeFor(type, options);
    expect(shape?.jsonType).toBe(typeOf(value));
    expect(bytesOf(value)).toBeLessThanOrEqual(shape?.maxBytes ?? Infinity);
  });

  it('is any for json', () => {
    expect(valueShapeFor('json', {})).toBeNull();
  });

  it.each<[ColumnType, readonly JsonValue[]]>([
    ['text', ['', 'a', 'ü€𝒳', '2024-02-29', 'null']],
    ['boolean', [true, false]],
  ])('that has no length tells all that the check of %s tells', (type, values) => {
    expect(valueShapeFor(type, {})?.maxBytes).toBeNull();
    for (const value of values) expect(valueCheckFor(type, {})(value).ok).toBe(true);
  });
});
