import type { ColumnType } from '../../datagrids/datagrid';
import { startValue } from './start-value';

const start = (type: ColumnType, initial: string, key: string | null): string =>
  startValue({ type, options: { choices: ['alpha', 'Tau'] } }, initial, key);

describe('what an editor begins with', () => {
  it('is the letter that opened it, where anything may be typed', () => {
    expect(start('text', 'before', 'x')).toBe('x');
    expect(start('number', '12', '7')).toBe('7');
  });

  it('is a choice where there are choices, and never a letter of one', () => {
    expect(start('boolean', 'true', 'f')).toBe('false');
    expect(start('boolean', 'true', 'x')).toBe('true');
    expect(start('select', 'alpha', 't')).toBe('Tau');
    expect(start('select', 'alpha', 'z')).toBe('alpha');
    expect(start('multiSelect', '["alpha"]', 't')).toBe('["alpha"]');
  });

  it('is nothing after a deletion, and what is there otherwise', () => {
    for (const type of ['text', 'boolean', 'select', 'multiSelect'] as const) {
      expect(start(type, 'before', 'Delete')).toBe('');
      expect(start(type, 'before', 'Backspace')).toBe('');
      expect(start(type, 'before', 'Enter')).toBe('before');
      expect(start(type, 'before', null)).toBe('before');
    }
  });
});
