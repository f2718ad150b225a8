import type { ColumnType } from '../../datagrids/column-type';
import { startValue } from './start-value';

const start = (type: ColumnType, initial: string, key: string | null): string =>
  startValue({ type, options: { choices: ['alpha', 'Tau'] } }, initial, key);

describe('startValue', () => {
  it('returns the typed letter for a free input', () => {
    expect(start('text', 'before', 'x')).toBe('x');
    expect(start('number', '12', '7')).toBe('7');
  });

  it('returns a matching choice for an input with choices', () => {
    expect(start('boolean', 'true', 'f')).toBe('false');
    expect(start('boolean', 'true', 'x')).toBe('true');
    expect(start('select', 'alpha', 't')).toBe('Tau');
    expect(start('select', 'alpha', 'z')).toBe('alpha');
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
