import { shorten } from './shorten';

describe('shorten', () => {
  it.each([
    ['', 3, ''],
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc…'],
    ['😀😀😀', 3, '😀😀😀'],
    ['😀😀😀😀', 3, '😀😀😀…'],
    ['a😀', 1, 'a…'],
    ['x', 0, '…'],
  ])('makes %j, at most %i, %j', (text, most, short) => {
    expect(shorten(text, most)).toBe(short);
  });
});
