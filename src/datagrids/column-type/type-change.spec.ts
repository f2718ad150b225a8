import { COLUMN_TYPES, hasChoices, type ColumnType } from './column-type';
import { holdsEveryValue } from './type-change';
import { valueCheckFor } from './value-check';

const options = { choices: ['1', 'two'] };
const rules = (type: ColumnType): { type: ColumnType; options: object } => ({
  type,
  options: hasChoices(type) ? options : {},
});

/** Sample values of each type in normal form. */
const VALUES: Record<ColumnType, readonly unknown[]> = {
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
};

describe('holdsEveryValue', () => {
  const pairs = COLUMN_TYPES.flatMap((from) => COLUMN_TYPES.map((to) => [from, to] as const));
  const wide = pairs.filter(([from, to]) => holdsEveryValue(rules(from), rules(to)));

  it('knows the changes that no row can conflict with', () => {
    const changes = wide.filter(([from, to]) => from !== to && to !== 'json');
    expect(changes).toEqual([
      ['integer', 'number'],
      ['decimal', 'text'],
      ['date', 'text'],
      ['datetime', 'text'],
      ['select', 'text'],
      ['email', 'text'],
      ['url', 'text'],
    ]);
    expect(wide.filter(([, to]) => to === 'json')).toHaveLength(COLUMN_TYPES.length);
  });

  it.each(wide)('is right that %s fits %s', (from, to) => {
    const check = valueCheckFor(to, rules(to).options);
    for (const value of VALUES[from]) expect(check(value)).toEqual({ ok: true, value });
  });

  it.each(['select', 'multiSelect'] as const)(
    'lets a %s gain choices but not lose them',
    (type) => {
      const before = { type, options: { choices: ['a', 'b'] } };
      expect(holdsEveryValue(before, { type, options: { choices: ['c', 'b', 'a'] } })).toBe(true);
      expect(holdsEveryValue(before, { type, options: { choices: ['b', 'c'] } })).toBe(false);
    },
  );
});
