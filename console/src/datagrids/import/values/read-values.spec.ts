import * as fc from 'fast-check';
import { detectOrder, readDate, readDatetime } from './read-date';
import { detectMark, isCode, readNumber, type DecimalMark } from './read-number';
import { readValue } from './read-value';

const grouped = (whole: string, separator: string): string =>
  whole.replace(/\B(?=(\d{3})+$)/g, separator);

describe('readNumber', () => {
  it('keeps every digit of a number, in each notation', () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,29}$/);
    const fractions = fc.stringMatching(/^\d{1,18}$/);
    const marks = fc.constantFrom<DecimalMark>('.', ',');
    const separators = fc.constantFrom('', 'other', ' ', '\u00a0', '\u202f', "'", '’');
    fc.assert(
      fc.property(
        fc.constantFrom('', '-'),
        digits,
        fractions,
        marks,
        separators,
        (sign, whole, fraction, mark, separator) => {
          const other = mark === '.' ? ',' : '.';
          const between = separator === 'other' ? other : separator;
          const written = `${sign}${grouped(whole, between)}${mark}${fraction}`;
          expect(readNumber(written, mark)).toBe(`${sign}${whole}.${fraction}`);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('moves the mark of an exponent without rounding', () => {
    expect(readNumber('1.25e3', '.')).toBe('1250');
    expect(readNumber('12345678901234567890.5E-3', '.')).toBe('12345678901234567.8905');
    expect(readNumber('-5e-4', '.')).toBe('-0.0005');
  });

  it.each(['', 'abc', '1,2,3', '1.23.456', '12,34.5', '1.2.3', '--1', '1 23', '1-2'])(
    'reads %j in no notation',
    (text) => {
      expect([readNumber(text, '.'), readNumber(text, ',')]).toEqual([undefined, undefined]);
    },
  );
});

describe('detectMark', () => {
  it('takes the mark that only one notation allows', () => {
    expect(detectMark(['1.234', '12,5'])).toEqual({ mark: ',' });
    expect(detectMark(['1,234', '0.5'])).toEqual({ mark: '.' });
  });

  it('says that 1.234 alone can be read in two ways', () => {
    expect(detectMark(['1.234', '7'])).toEqual({ mark: '.', ambiguous: '1.234' });
  });

  it('says that 1.234 can be read in two ways if other numbers of the file differ', () => {
    expect(detectMark(['1.234', '0,5', '0,7', '52.5'])).toEqual({ mark: ',', ambiguous: '1.234' });
  });
});

describe('readDate', () => {
  it('reads each day of 40 years in each notation', () => {
    const wrong: string[] = [];
    for (let at = Date.UTC(1990, 0, 1); at < Date.UTC(2030, 0, 1); at += 86_400_000) {
      const iso = new Date(at).toISOString().slice(0, 10);
      const [year = '', month = '', day = ''] = iso.split('-');
      const read = [
        readDate(iso, 'dmy'),
        readDate(`${day}.${month}.${year}`, 'dmy'),
        readDate(`${Number(day)}/${Number(month)}/${year}`, 'dmy'),
        readDate(`${Number(month)}/${Number(day)}/${year}`, 'mdy'),
      ];
      if (read.some((date) => date !== iso)) wrong.push(iso);
    }
    expect(wrong).toEqual([]);
  });

  it('rejects days that do not exist', () => {
    expect(readDate('29.02.2023', 'dmy')).toBeUndefined();
    expect(readDate('31/04/2024', 'dmy')).toBeUndefined();
    expect(readDate('13/13/2024', 'mdy')).toBeUndefined();
    expect(readDate('01.02-2024', 'dmy')).toBeUndefined();
  });

  it('reads a time with and without an offset', () => {
    expect(readDatetime('31.12.2025 8:05', 'dmy')).toBe('2025-12-31T08:05:00Z');
    expect(readDatetime('2025-12-31T23:59:58.123+0200', 'dmy')).toBe(
      '2025-12-31T23:59:58.123+02:00',
    );
    expect(readDatetime('31.12.2025 24:05', 'dmy')).toBeUndefined();
  });
});

describe('detectOrder', () => {
  it('decides by a day above 12, or by points', () => {
    expect(detectOrder(['03/04/2025', '25/04/2025'])).toEqual({ order: 'dmy' });
    expect(detectOrder(['03/04/2025', '04/25/2025'])).toEqual({ order: 'mdy' });
    expect(detectOrder(['03.04.2025'])).toEqual({ order: 'dmy' });
  });

  it('says that 03/04/2025 alone can be read in two ways', () => {
    expect(detectOrder(['03/04/2025'])).toEqual({ order: 'dmy', ambiguous: '03/04/2025' });
  });

  it('says that 03/04/2025 can be read in two ways if other dates of the file differ', () => {
    expect(detectOrder(['31.12.2025', '03/04/2025', '04/25/2025'])).toEqual({
      order: 'dmy',
      ambiguous: '03/04/2025',
    });
  });
});

describe('readValue', () => {
  const formats = { mark: ',', order: 'dmy' } as const;
  const read = (
    type: 'integer' | 'number' | 'decimal' | 'boolean',
    text: string,
  ): string | undefined => readValue(text, { type, options: {} }, formats);

  it('rejects a number that its type would change', () => {
    expect(read('integer', '9.007.199.254.740.991')).toBe('9007199254740991');
    expect(read('integer', '9007199254740992')).toBeUndefined();
    expect(read('number', '0,1234567890123456789')).toBeUndefined();
    expect(read('decimal', '0,1234567890123456789')).toBeUndefined();
    expect(read('decimal', '1.234,50')).toBe('"1234.50"');
    expect(read('boolean', 'ja')).toBe('true');
  });

  it('knows codes, which are no amounts', () => {
    expect(['01067', '+49301234', '12e5'].map(isCode)).toEqual([true, true, true]);
    expect(['1067', '0', '0,5', '-12'].map(isCode)).toEqual([false, false, false, false]);
  });
});
