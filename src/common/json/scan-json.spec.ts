import fc from 'fast-check';
import { isExactNumber } from './scan-json';

describe('isExactNumber', () => {
  it.each([
    ['0'],
    ['-0'],
    ['-0.000'],
    ['0e99999999999999999999'],
    ['1.0'],
    ['1.10'],
    ['1E5'],
    ['1e+5'],
    ['100e-2'],
    ['1e23'],
    ['5e-324'],
    ['0.30000000000000004'],
    ['9007199254740992'],
    ['123456789012345680000'],
    ['1.7976931348623157e308'],
    [`1${'0'.repeat(300)}`],
    [`0.1${'0'.repeat(1000)}`],
    [`0.${'0'.repeat(400)}5e401`],
  ])('accepts %s', (token) => {
    expect(isExactNumber(token)).toBe(true);
  });

  it.each([
    ['9007199254740993'],
    ['-9007199254740993'],
    ['0.1234567890123456789'],
    ['3.141592653589793238'],
    ['1e400'],
    ['-1e999'],
    ['1e-400'],
    ['4.9e-324'],
    [`0.${'0'.repeat(400)}1`],
    ['1.7976931348623159e308'],
    ['1e99999999999999999999'],
  ])('rejects %s', (token) => {
    expect(isExactNumber(token)).toBe(false);
  });

  it('accepts every double in every notation', () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (double) => {
        expect(isExactNumber(String(double))).toBe(true);
        expect(isExactNumber(double.toExponential())).toBe(true);
      }),
    );
  });

  it('accepts every decimal of up to 15 digits', () => {
    const digits = fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n });
    fc.assert(
      fc.property(digits, fc.integer({ min: -200, max: 200 }), (mantissa, exponent) => {
        expect(isExactNumber(`${mantissa.toString()}e${exponent}`)).toBe(true);
      }),
    );
  });

  it('rejects an integer if and only if the printed double differs from it', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), (whole) => {
        const printed = BigInt(Number(whole).toLocaleString('en', { useGrouping: false }));
        expect(isExactNumber(whole.toString())).toBe(printed === whole);
      }),
    );
  });

  it('checks a hostile token in linear time', () => {
    const zeros = '0'.repeat(1_000_000);
    expect(isExactNumber(`1${zeros}1.${zeros}1`)).toBe(false);
    expect(isExactNumber(`0.1${zeros}`)).toBe(true);
  });
});
