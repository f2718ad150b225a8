import { numbersIn } from './shown-number';

describe('numbersIn', () => {
  it.each([
    ['en-US', '1234567.50', '1,234,567.50'],
    ['de-DE', '1234567.50', '1.234.567,50'],
    ['de-DE', '-0.5', '-0,5'],
    ['en-US', '2026', '2026'],
    [
      'en-US',
      '12345678901234567890.000000000000000001',
      '12,345,678,901,234,567,890.000000000000000001',
    ],
  ])('shows a number with all its digits as %s writes it', (locale, text, shown) => {
    expect(numbersIn(locale)(text)).toBe(shown);
  });

  it.each(['1e+21', '', 'many', '1,5', '-', '007'])('leaves %j as it is', (text) => {
    expect(numbersIn('de-DE')(text)).toBe(text);
  });
});
