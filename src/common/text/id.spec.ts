import fc from 'fast-check';
import { codePointLength, foldName, isLoopbackHost, shorten } from './id';

describe('codePointLength', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['Größe', 5],
    ['😀', 1],
    ['e\u0301', 2],
    ['\ud83d', 1],
  ])('counts %j as %d', (text, length) => {
    expect(codePointLength(text)).toBe(length);
  });

  it('counts the same code points as Array.from', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(codePointLength(text)).toBe(Array.from(text).length);
      }),
    );
  });
});

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
  ])('folds %s and %s to the same name', (one, other) => {
    expect(foldName(one)).toBe(foldName(other));
  });

  it.each([
    ['a', 'ä'],
    ['a', 'a '],
    ['e', 'é'],
    ['o', '0'],
  ])('folds %j and %j to different names', (one, other) => {
    expect(foldName(one)).not.toBe(foldName(other));
  });

  it('ignores the case and normalization of every letter', () => {
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

  it('returns folded text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(foldName(foldName(text))).toBe(foldName(text));
        expect(foldName(text.normalize('NFD'))).toBe(foldName(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('isLoopbackHost', () => {
  it.each(['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])(
    'returns true for %s',
    (host) => {
      expect(isLoopbackHost(host)).toBe(true);
    },
  );

  it.each(['', 'localhost.example.com', '0.0.0.0', '10.0.0.1', '::', '127.example.com', '[::2]'])(
    'returns false for %j',
    (host) => {
      expect(isLoopbackHost(host)).toBe(false);
    },
  );
});

describe('shorten', () => {
  it.each([
    ['', 3, ''],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc…'],
    ['😀😀😀', 3, '😀😀😀'],
    ['😀😀😀😀', 3, '😀😀😀…'],
    ['a😀', 1, 'a…'],
    ['x', 0, '…'],
  ])('shortens %j to at most %i code points: %j', (text, maxLength, short) => {
    expect(shorten(text, maxLength)).toBe(short);
  });
});
