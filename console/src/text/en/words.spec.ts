import { countOf, quoted } from './words';

describe('countOf', () => {
  it('uses the singular for one', () => {
    expect(countOf(0, 'row')).toBe('0 rows');
    expect(countOf(1, 'workspace')).toBe('1 workspace');
    expect(countOf(2_000, 'column')).toBe(`${(2_000).toLocaleString()} columns`);
  });
});

describe('quoted', () => {
  it('isolates bidirectional control characters within the quotation marks', () => {
    expect(quoted('Lakes')).toBe('“\u2068Lakes\u2069”');
    const turned = '\u202Egrid';
    expect(`Delete ${quoted(turned)}?`).toBe('Delete “\u2068\u202Egrid\u2069”?');
  });
});
