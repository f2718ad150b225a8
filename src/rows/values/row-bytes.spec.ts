import fc from 'fast-check';
import { mayExceed, rowBytes } from './row-bytes';

const bytesOf = (values: Record<string, never>): number => rowBytes(values, JSON.stringify(values));

/**
 * Returns a double's shortest digits in plain notation. Computed differently from the code under
 * test.
 */
function plain(double: number): string {
  const [mantissa = '', exponent = '0'] = double.toExponential().split('e');
  const sign = double < 0 ? '-' : '';
  const digits = mantissa.replace(/[-.]/g, '');
  const power = Number(exponent);
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`;
  const whole = digits.slice(0, power + 1).padEnd(power + 1, '0');
  const fraction = digits.slice(power + 1);
  return sign + whole + (fraction && `.${fraction}`);
}

describe('rowBytes', () => {
  it.each([
    ['1e308', 309],
    ['-1.5e300', 302],
    ['1e21', 22],
    ['1e20', 21],
    ['5e-324', 326],
    ['1.5e-7', 10],
    ['0.000001', 8],
    ['0', 1],
  ])('counts the digits of %s: %i', (text, digits) => {
    const values = JSON.parse(`{"n":${text}}`) as Record<string, never>;
    expect(bytesOf(values)).toBe('{"n":}'.length + digits);
  });

  it('counts every number in plain notation, at any depth', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(double, fc.string(), (number, text) => {
        const values = { [text]: [{ deep: number }, text] } as Record<string, never>;
        const around = Buffer.byteLength(JSON.stringify({ [text]: [{ deep: 0 }, text] })) - 1;
        expect(bytesOf(values)).toBe(around + plain(number === 0 ? 0 : number).length);
      }),
    );
  });

  it('counts text that looks like a number as text', () => {
    expect(bytesOf({ a: '1e+308' } as never)).toBe('{"a":"1e+308"}'.length);
  });
});

describe('mayExceed', () => {
  it.each(['1e308', '-1e308', '5e-324', '1e308,1e308', '"\u20ac"', '"a"'])(
    'returns true for every limit that values such as [%s] exceed',
    (json) => {
      const values = JSON.parse(`[${json}]`) as number[];
      const text = JSON.stringify(values);
      expect(mayExceed(text, rowBytes(values, text) - 1)).toBe(true);
    },
  );

  it('returns false for a small row', () => {
    expect(mayExceed('{"s1":"a small row"}', 1_048_576)).toBe(false);
  });
});
