import { localeForms } from './locale-forms';
import { pickedDate, pickerValue, unlocalized } from './unlocalized';

describe('an input in the form of the locale', () => {
  it.each([
    ['integer', '1,234', 'en-US', '1234'],
    ['integer', '12,34', 'en-US', '12,34'],
    ['integer', '007', 'en-US', '007'],
    ['number', '-1,234.50', 'en-US', '-1234.50'],
    ['number', '1.234.567,5', 'de-DE', '1234567.5'],
    ['number', '1.234', 'de-DE', '1.234'],
    ['number', '0,5', 'de-DE', '0.5'],
    ['number', 'abc', 'en-US', 'abc'],
    ['decimal', '1\u202f234,10', 'fr-FR', '1234.10'],
    ['decimal', '12345678901234567890,5', 'de-DE', '12345678901234567890.5'],
    ['date', '2026-11-21', 'en-US', '2026-11-21'],
    ['date', '11/21/2026', 'en-US', '2026-11-21'],
    ['date', '21/11/2026', 'en-US', '21/11/2026'],
    ['date', '21.11.2026', 'de-DE', '2026-11-21'],
    ['date', '30.2.2026', 'de-DE', '30.2.2026'],
    ['date', '03.04.2025', 'en-US', '2025-04-03'],
    ['date', '2026. 11. 21.', 'en-US', '2026-11-21'],
    ['datetime', '03.04.2025 9:30', 'en-US', '2025-04-03T09:30:00Z'],
    ['datetime', '2026-11-21 09:30', 'en-US', '2026-11-21T09:30:00Z'],
    ['datetime', '2026-11-21T09:30:00.125+01:00', 'en-US', '2026-11-21T09:30:00.125+01:00'],
    ['datetime', '21.11.2026 9:30', 'de-DE', '2026-11-21T09:30:00Z'],
    ['text', '1,234', 'en-US', '1,234'],
  ] as const)('of type %s: %s in %s is %s', (type, typed, locale, expected) => {
    expect(unlocalized({ type }, typed, localeForms(locale))).toBe(expected);
  });
});

describe('a date picker', () => {
  it('begins with the date or time of the cell, in UTC', () => {
    expect(pickerValue('date', '2026-11-21')).toBe('2026-11-21');
    expect(pickerValue('date', 'tomorrow')).toBe('');
    expect(pickerValue('datetime', '2026-11-21T09:30:15.125+01:00')).toBe('2026-11-21T08:30:15');
    expect(pickerValue('datetime', '')).toBe('');
  });

  it('gives dates, and times with seconds in UTC', () => {
    expect(pickedDate('date', '2026-11-21')).toBe('2026-11-21');
    expect(pickedDate('datetime', '2026-11-21T09:30')).toBe('2026-11-21T09:30:00Z');
    expect(pickedDate('datetime', '2026-11-21T09:30:05')).toBe('2026-11-21T09:30:05Z');
    expect(pickedDate('datetime', '')).toBe('');
  });
});
