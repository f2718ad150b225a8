import { randomBytes } from 'node:crypto';
import { openCursor, sealCursor } from './sealed-cursor';

const key = randomBytes(32);

describe('a sealed cursor', () => {
  it.each(['', 'MjotMw.PXNlY3JldA', 'ä'.repeat(300)])('returns what was sealed: %s', (text) => {
    expect(openCursor(key, sealCursor(key, text))).toBe(text);
  });

  it('differs each time, and has the same length for all short values', () => {
    const sealed = ['', 'a', 'b'.repeat(200)].map((text) => sealCursor(key, text));
    expect(new Set(sealed.map(({ length }) => length)).size).toBe(1);
    expect(sealCursor(key, 'a')).not.toBe(sealCursor(key, 'a'));
  });

  it('is not readable with another key, and not if a character was changed or cut', () => {
    const sealed = sealCursor(key, 'MjotMw.PXNlY3JldA');
    expect(openCursor(randomBytes(32), sealed)).toBeNull();
    expect(openCursor(key, sealed.slice(0, -1))).toBeNull();
    const other = sealed.startsWith('A') ? 'B' : 'A';
    expect(openCursor(key, other + sealed.slice(1))).toBeNull();
  });

  it.each(['', 'x', 'MjotMw', '%', 'A'.repeat(64)])(
    'cannot be opened from any other text: %j',
    (text) => {
      expect(openCursor(key, text)).toBeNull();
    },
  );
});
