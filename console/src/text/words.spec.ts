import { quoted } from './words';

describe('quoted', () => {
  it('isolates bidirectional control characters within the quotation marks', () => {
    expect(quoted('Lakes')).toBe('“\u2068Lakes\u2069”');
    const turned = '\u202Egrid';
    expect(`Delete ${quoted(turned)}?`).toBe('Delete “\u2068\u202Egrid\u2069”?');
  });
});
