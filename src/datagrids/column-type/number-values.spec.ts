import fc from 'fast-check';
import { valueCheckFor } from './value-check';

describe('integer', () => {
  const check = valueCheckFor('integer', {});

  it.each([[0], [-7], [1e15], [Number.MAX_SAFE_INTEGER], [Number.MIN_SAFE_INTEGER]])(
    'holds %d',
    (value) => {
      expect(check(value)).toEqual({ ok: true, value });
    },
  );

  it.each([
    [1.5, 'wrong_type'],
    ['1', 'wrong_type'],
    [true, 'wrong_type'],
    [NaN, 'wrong_type'],
    [2 ** 53, 'out_of_range'],
    [-(2 ** 53), 'out_of_range'],
    [1e300, 'out_of_range'],
  ])('refuses %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({
      ok: false,
      code,
      message: 'must be an integer between -9007199254740991 and 9007199254740991',
    });
  });
});

describe('number', () => {
  const check = valueCheckFor('number', {});

  it('holds every finite double, -0 as the 0 that JSON prints', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(check(value)).toStrictEqual({ ok: true, value: value === 0 ? 0 : value });
      }),
    );
  });

  it.each([[Infinity], [NaN], ['1.5'], [[1]]])('refuses %p', (value) => {
    expect(check(value)).toMatchObject({ ok: false, code: 'wrong_type' });
  });
});

describe('decimal', () => {
  const check = valueCheckFor('decimal', {});

  it.each([
    ['0'],
    ['-0'],
    ['-0.00'],
    ['12.50'],
    ['1'.repeat(38)],
    [`-${'9'.repeat(20)}.${'0'.repeat(18)}`],
    [`0.${'1'.repeat(18)}`],
  ])('gives %s back as sent', (value) => {
    expect(check(value)).toEqual({ ok: true, value });
  });

  it('gives any decimal of 38 digits back as sent', () => {
    const text = fc
      .tuple(
        fc.bigInt({ min: -(10n ** 20n) + 1n, max: 10n ** 20n - 1n }),
        fc.stringMatching(/^\d{1,18}$/),
      )
      .map(([whole, fraction]) => `${whole.toString()}.${fraction}`);
    fc.assert(
      fc.property(text, (value) => {
        expect(check(value)).toEqual({ ok: true, value });
      }),
    );
  });

  it.each([
    [12.5, 'wrong_type'],
    ['', 'invalid_format'],
    ['007', 'invalid_format'],
    ['-00', 'invalid_format'],
    ['+1', 'invalid_format'],
    ['1e5', 'invalid_format'],
    ['.5', 'invalid_format'],
    ['5.', 'invalid_format'],
    ['1,5', 'invalid_format'],
    [' 1', 'invalid_format'],
    ['1\n', 'invalid_format'],
    ['١', 'invalid_format'],
    [`0.${'1'.repeat(19)}`, 'excess_precision'],
    ['1'.repeat(39), 'out_of_range'],
    [`${'1'.repeat(21)}.${'1'.repeat(18)}`, 'out_of_range'],
  ])('refuses %j as %s', (value, code) => {
    expect(check(value)).toMatchObject({ ok: false, code });
  });
});
