import fc from 'fast-check';
import { codePointLength } from './code-point-length';

describe('codePointLength', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['Größe', 5],
    ['😀', 1],
    ['e\u0301', 2],
    ['\ud83d', 1],
  ])('of %j is %d', (text, length) => {
    expect(codePointLength(text)).toBe(length);
  });

  it('counts as spreading does', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(codePointLength(text)).toBe(Array.from(text).length);
      }),
    );
  });
});
