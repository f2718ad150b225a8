import { compareExactly, compareInteger } from './exact-number';

const MONEY = { digits: 18, scale: 2 } as const;
const compared = (sign: string, text: string): unknown => compareExactly('v', MONEY, sign, text);

describe('compareExactly', () => {
  it('gives a number the digits of the column', () => {
    expect(compared('=', '1.5')).toBe("v = '1.50'::DECIMAL(18, 2)");
    expect(compared('>=', '-0.07')).toBe("v >= '-0.07'::DECIMAL(18, 2)");
    expect(compared('<', '1e3')).toBe("v < '1000.00'::DECIMAL(18, 2)");
    expect(compared('=', '150e-2')).toBe("v = '1.50'::DECIMAL(18, 2)");
    expect(compared('=', '-0')).toBe("v = '0.00'::DECIMAL(18, 2)");
  });

  it('compares with the next lower value if the column cannot have the number', () => {
    expect(compared('=', '1.505')).toBe(false);
    expect(compared('>', '1.505')).toBe("v > '1.50'::DECIMAL(18, 2)");
    expect(compared('>=', '1.505')).toBe("v > '1.50'::DECIMAL(18, 2)");
    expect(compared('<', '1.505')).toBe("v <= '1.50'::DECIMAL(18, 2)");
    expect(compared('<=', '1.505')).toBe("v <= '1.50'::DECIMAL(18, 2)");
    expect(compared('>', '-1.505')).toBe("v > '-1.51'::DECIMAL(18, 2)");
    expect(compared('<', '-1.505')).toBe("v <= '-1.51'::DECIMAL(18, 2)");
  });

  it('knows the result for a number beyond all values', () => {
    for (const sign of ['=', '>', '>=']) expect(compared(sign, '1e300')).toBe(false);
    for (const sign of ['<', '<=']) expect(compared(sign, '1e300')).toBe(true);
    for (const sign of ['=', '<', '<=']) expect(compared(sign, '-1e300')).toBe(false);
    for (const sign of ['>', '>=']) expect(compared(sign, '-1e300')).toBe(true);
    // The floor of this one is the lowest value and one unit more.
    expect(compared('>', '-9999999999999999.995')).toBe(true);
    expect(compared('<', '9999999999999999.995')).toBe(
      "v <= '9999999999999999.99'::DECIMAL(18, 2)",
    );
  });

  it('returns null for text that is not a number, and for numbers with too many digits', () => {
    for (const text of ['', 'x', '1,5', '.5', '1e999999', '9'.repeat(900)]) {
      expect(compared('=', text)).toBeNull();
    }
  });
});

describe('compareInteger', () => {
  it('compares integers beyond 18 digits, which no value has', () => {
    expect(compareInteger('v', '>', '9007199254740991')).toBe("v > '9007199254740991'::BIGINT");
    expect(compareInteger('v', '>', '1000000000000000000')).toBe(false);
    expect(compareInteger('v', '>=', '0.5')).toBe("v > '0'::BIGINT");
  });
});
