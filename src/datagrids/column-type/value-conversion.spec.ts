import fc from 'fast-check';
import { COLUMN_TYPE_NAMES, COLUMN_TYPES, valueCheckFor } from './column-type';
import { conversionTo } from './type-change';

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Returns the value of a number in JSON notation as `[digits, exponent]`, without trailing zeros. */
function decimalOf(text: string): [bigint, number] | null {
  const match = NUMBER.exec(text);
  if (!match) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  let digits = BigInt(`${sign}${whole}${fraction}`);
  let power = Number(exponent) - fraction.length;
  if (digits === 0n) return [0n, 0];
  while (digits % 10n === 0n) {
    digits /= 10n;
    power += 1;
  }
  return [digits, power];
}

const digits = fc.stringMatching(/^[0-9]{1,22}$/);
const space = fc.constantFrom('', ' ', '\t', '\n', '\u00a0');
const numeric = fc
  .tuple(
    space,
    fc.constantFrom('', '-', '+'),
    digits,
    fc.option(digits),
    fc.option(fc.integer({ min: -330, max: 330 })),
    space,
  )
  .map(
    ([before, sign, whole, fraction, exponent, after]) =>
      `${before}${sign}${whole}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${String(exponent)}`}${after}`,
  );

describe('the conversion of a text', () => {
  it('to a number has exactly the value of the text, or there is none', () => {
    const convert = conversionTo({ type: 'number', options: {} });
    fc.assert(
      fc.property(numeric, (text) => {
        const value = convert(text, 'string');
        const expected = decimalOf(text.trim());
        const printed = expected && decimalOf(String(Number(text.trim())));
        const isExact = printed !== null && String(printed) === String(expected);
        expect(value).toBe(isExact ? Number(text.trim()) + 0 : undefined);
      }),
      { numRuns: 2_000 },
    );
  });

  it('to an integer is that to a number, if it is an integer that a double counts exactly', () => {
    const toNumber = conversionTo({ type: 'number', options: {} });
    const toInteger = conversionTo({ type: 'integer', options: {} });
    fc.assert(
      fc.property(numeric, (text) => {
        const number = toNumber(text, 'string');
        const expected = Number.isSafeInteger(number) ? number : undefined;
        expect(toInteger(text, 'string')).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it('to a decimal keeps its digits', () => {
    const convert = conversionTo({ type: 'decimal', options: {} });
    fc.assert(
      fc.property(numeric, (text) => {
        const value = convert(text, 'string');
        expect(value === undefined || value === text.trim()).toBe(true);
      }),
    );
  });
});

describe('a conversion', () => {
  const options = { choices: ['a', 'b', 'a,b', ' c'] };
  const types = COLUMN_TYPE_NAMES.filter((type) => COLUMN_TYPES[type].convert !== null);

  it('returns only values that the type accepts and stores unchanged', () => {
    const texts = fc.oneof(
      numeric,
      fc.string(),
      fc.date({ noInvalidDate: true }).map((date) => date.toJSON()),
      fc.constantFrom('true', 'no', '2024-02-29', 'a, b', '["a","b"]', 'a@example.com', ' c'),
    );
    fc.assert(
      fc.property(fc.constantFrom(...types), texts, (type, text) => {
        const rules = { type, options: COLUMN_TYPES[type].hasChoices ? options : {} };
        const value = conversionTo(rules)(text, 'string');
        if (value === undefined) return;
        expect(valueCheckFor(type, rules.options)(value)).toEqual({ ok: true, value });
      }),
      { numRuns: 3_000 },
    );
  });

  it('of every text to text is the text itself', () => {
    const convert = conversionTo({ type: 'text', options: {} });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(convert(text, 'string')).toBe(text);
      }),
    );
  });
});
