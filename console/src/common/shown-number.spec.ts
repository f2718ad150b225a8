import { numbersIn, showNumber } from './shown-number';

describe('numbersIn', () => {
  it.each([
    ['en-US', '1234567.50', '1,234,567.50'],
    ['de-DE', '1234567.50', '1.234.567,50'],
    ['de-DE', '-0.5', '-0,5'],
    ['en-US', '9009.5', '9,009.5'],
    [
      'en-US',
      '12345678901234567890.000000000000000001',
      '12,345,678,901,234,567,890.000000000000000001',
    ],
  ])('shows a number with all its digits as %s writes it', (locale, text, shown) => {
    expect(numbersIn('always', locale)(text)).toBe(shown);
  });

  it.each(['1e+21', '', 'many', '1,5', '-', '007'])('leaves %j as it is', (text) => {
    expect(numbersIn('always', 'de-DE')(text)).toBe(text);
  });
});

it('Whole numbers of four digits, which may be years, have no separators', () => {
  expect(showNumber('integer', '2026')).toBe('2026');
  expect(showNumber('integer', '10110')).toBe('10,110');
  expect(showNumber('decimal', '2026.00')).toBe('2,026.00');
});
