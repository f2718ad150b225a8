import { isoMomentOf, kindOf, momentOf } from './number-format';

const shown = (serial: number, code: string, is1904 = false): string | undefined => {
  const kind = kindOf(164, code);
  return kind.hasDate || kind.hasTime ? momentOf(serial, kind, is1904) : undefined;
};

describe('a number format', () => {
  it.each([
    'General',
    '0.00',
    '0%',
    '0.00E+00',
    '#,##0.00 [$€-407]',
    '_-* #,##0.00\\ "SEK"_-;\\-* #,##0.00\\ "SEK"_-',
    '[Red]-#,##0.00 "days";0',
    '[>=1000]#,##0,"k";0',
    '# ?/?',
    '#,##0 USD',
    '@',
  ])('%s shows a number', (code) => {
    expect(shown(45_500.5, code)).toBeUndefined();
  });

  it.each([
    ['yyyy-mm-dd', '2024-07-27T12:00:00'],
    ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', '2024-07-27T12:00:00'],
    ['mmm-yy;@', '2024-07-27T12:00:00'],
    ['d "of" mmmm', '2024-07-27T12:00:00'],
    ['dd.mm.yyyy hh:mm:ss.000', '2024-07-27T12:00:00'],
    ['m/d/yy h:mm AM/PM', '2024-07-27T12:00:00'],
    ['[h]:mm:ss', '1092012:00:00'],
  ])('%s shows a moment or a duration', (code, text) => {
    expect(shown(45_500.5, code)).toBe(text);
  });

  it.each([
    [14, 45_500, '2024-07-27'],
    [22, 45_500, '2024-07-27T00:00:00'],
    [21, 0.375, '09:00:00'],
    [45, 0.0005, '00:00:43.200'],
    [46, 1.5, '36:00:00'],
  ])('of the number %d is known to every program', (id, serial, text) => {
    expect(momentOf(serial, kindOf(id, undefined), false)).toBe(text);
  });
});

describe('a serial number', () => {
  it('is each day from 1900 on, and a day that never was for 60', () => {
    const days = [-1, 0, 1, 31, 32, 59, 60, 61, 366, 2_958_465, 2_958_466];
    expect(days.map((day) => shown(day, 'yyyy-mm-dd'))).toEqual([
      '1899-12-29',
      '1900-01-00',
      '1900-01-01',
      '1900-01-31',
      '1900-02-01',
      '1900-02-28',
      '1900-02-29',
      '1900-03-01',
      '1900-12-31',
      '9999-12-31',
      undefined,
    ]);
  });

  it('counts from 1904 in workbooks that say so', () => {
    const days = [-1, 0, 0.5, 44_000].map((day) => shown(day, 'yyyy-mm-dd', true));
    expect(days).toEqual(['1903-12-31', '1904-01-01', '1904-01-01T12:00:00', '2024-06-19']);
    expect(shown(0.5, 'h:mm', true)).toBe('12:00:00');
  });

  it('is rounded to milliseconds, also at the end of a day', () => {
    expect(shown(45_500.416_666_666_7, 'yyyy-mm-dd hh:mm')).toBe('2024-07-27T10:00:00');
    expect(shown(45_499.999_999_999_9, 'yyyy-mm-dd hh:mm')).toBe('2024-07-27T00:00:00');
    expect(shown(45_500.5 + 1.25 / 86_400, 'yyyy-mm-dd')).toBe('2024-07-27T12:00:01.250');
    expect(shown(-0.25, '[h]:mm')).toBe('-06:00:00');
    expect(shown(1e300, 'yyyy-mm-dd')).toBeUndefined();
  });
});

describe('a date of ISO 8601', () => {
  it.each([
    ['2025-05-09', 'yyyy-mm-dd', '2025-05-09'],
    ['2025-05-09T00:00:00', 'yyyy-mm-dd', '2025-05-09'],
    ['2025-05-09T00:00:00', 'yyyy-mm-dd hh:mm', '2025-05-09T00:00:00'],
    ['2025-05-09T18:20:00.000', 'yyyy-mm-dd', '2025-05-09T18:20:00'],
    ['2025-05-09T18:20:00.250Z', 'yyyy-mm-dd', '2025-05-09T18:20:00.25Z'],
    ['1899-12-31T09:00:00', 'h:mm', '09:00:00'],
    ['09:00:00', 'h:mm', '09:00:00'],
  ])('%s in the format %s is %s', (text, code, expected) => {
    expect(isoMomentOf(text, kindOf(164, code))).toBe(expected);
  });
});
