import { localeForms } from './locale-forms';
import { printChoices, readChoices, readForeign } from './pasted-value';

const EN = localeForms('en-US');
const DE = localeForms('de-DE');
const FR = localeForms('fr-FR');

describe('a pasted number', () => {
  it.each([
    ['1,234,567.50', EN, '1234567.50'],
    ['1.234.567,50', DE, '1234567.50'],
    ['1\u202f234,5', FR, '1234.5'],
    ['9007199254740993', EN, '9007199254740993'],
    ['-12,5', DE, '-12.5'],
    ['1,5', EN, '1,5'],
    ['12 apples', EN, '12 apples'],
  ])('is read from %s with all its digits', (text, forms, typed) => {
    expect(readForeign({ type: 'decimal' }, text, forms)).toBe(typed);
  });
});

describe('a pasted date', () => {
  it.each([
    ['2026-11-25', EN, '2026-11-25'],
    ['11/5/2026', EN, '2026-11-05'],
    ['5.11.2026', DE, '2026-11-05'],
    ['5.11.26', DE, '5.11.26'],
  ])('is read from %s in the order of the locale', (text, forms, typed) => {
    expect(readForeign({ type: 'date' }, text, forms)).toBe(typed);
  });
});

describe('other pasted values', () => {
  it('are a checkbox for TRUE and yes, and stay exact for texts', () => {
    expect(readForeign({ type: 'boolean' }, 'TRUE', EN)).toBe('true');
    expect(readForeign({ type: 'boolean' }, 'no', EN)).toBe('false');
    expect(readForeign({ type: 'text' }, ' 01,5 ', EN)).toBe(' 01,5 ');
  });

  it('are choices that are read as they were copied', () => {
    for (const choices of [['a', 'b c'], ['a, b'], ['[x'], [' y'], ['say "yes"']]) {
      const typed = JSON.stringify(choices);
      expect(readChoices(printChoices(typed))).toBe(typed);
    }
    expect(printChoices('["a","b c"]')).toBe('a, b c');
    expect(printChoices('')).toBe('');
  });
});
