import type { ColumnType } from '../../../datagrids/column-type';
import { keyOfText, startText, startValue } from './start-value';

const start = (type: ColumnType, initial: string, key: string | null): string =>
  startValue({ type }, initial, key);

describe('startValue', () => {
  it('returns the typed letter for a free input', () => {
    expect(start('text', 'before', 'x')).toBe('x');
    expect(start('number', '12', '7')).toBe('7');
  });

  it('returns a text that came without keys', () => {
    for (const text of ['مرحبا', '😀', 'Enter', 'ab']) {
      expect(start('text', 'before', keyOfText(text))).toBe(text);
    }
    expect(start('boolean', 'true', keyOfText('fa'))).toBe('false');
    expect(start('select', 'alpha', keyOfText('be'))).toBe('alpha');
  });

  it('returns the matching value of a boolean', () => {
    expect(start('boolean', 'true', 'f')).toBe('false');
    expect(start('boolean', 'false', 'T')).toBe('true');
    expect(start('boolean', 'true', 'x')).toBe('true');
  });

  it('keeps the chosen values, which a letter does not replace', () => {
    expect(start('select', 'alpha', 't')).toBe('alpha');
    expect(start('multiSelect', '["alpha"]', 't')).toBe('["alpha"]');
  });

  it('returns an empty text after Delete or Backspace, and the current value otherwise', () => {
    for (const type of ['text', 'boolean', 'select', 'multiSelect'] as const) {
      expect(start(type, 'before', 'Delete')).toBe('');
      expect(start(type, 'before', 'Backspace')).toBe('');
      expect(start(type, 'before', 'Enter')).toBe('before');
      expect(start(type, 'before', null)).toBe('before');
    }
  });
});

describe('startText', () => {
  it('returns the letter that opened the editor', () => {
    expect([startText('m'), startText(' '), startText('Enter'), startText(null)]).toEqual([
      'm',
      '',
      '',
      '',
    ]);
    expect(startText(keyOfText('にほん'))).toBe('にほん');
  });
});
