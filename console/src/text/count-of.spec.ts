import { countOf } from './count-of';

describe('countOf', () => {
  it('uses the singular for one', () => {
    expect(countOf(0, 'row')).toBe('0 rows');
    expect(countOf(1, 'workspace')).toBe('1 workspace');
    expect(countOf(2_000, 'column')).toBe(`${(2_000).toLocaleString()} columns`);
  });
});
