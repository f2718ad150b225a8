import fc from 'fast-check';
import { foldName } from './fold-name';

describe('foldName', () => {
  it.each([
    ['Ä', 'ä'],
    ['Ä', 'A\u0308'],
    ['Straße', 'STRASSE'],
    ['Straẞe', 'strasse'],
    ['ΟΔΟΣ', 'οδος'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['\u212a', 'k'],
    ['\uFB01n', 'FIN'],
  ])('makes %s and %s one name', (one, other) => {
    expect(foldName(one)).toBe(foldName(other));
  });

  it.each([
    ['a', 'ä'],
    ['a', 'a '],
    ['e', 'é'],
    ['o', '0'],
  ])('keeps %j and %j apart', (one, other) => {
    expect(foldName(one)).not.toBe(foldName(other));
  });

  it('does not depend on the case of any letter, nor on folding twice', () => {
    const failures: string[] = [];
    for (let code = 0; code <= 0x1ffff; code++) {
      const letter = String.fromCodePoint(code);
      const folded = foldName(letter);
      const same = [folded, letter.toUpperCase(), letter.normalize('NFD')];
      if (same.some((other) => foldName(other) !== folded)) failures.push(code.toString(16));
      if (foldName(letter.toLowerCase()) !== folded) failures.push(`${code.toString(16)} lower`);
    }
    expect(failures).toEqual([]);
  });

  it('folds a folded text to itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(foldName(foldName(text))).toBe(foldName(text));
        expect(foldName(text.normalize('NFD'))).toBe(foldName(text));
      }),
      { numRuns: 2000 },
    );
  });
});
