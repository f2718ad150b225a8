import { prefixUpperBound } from './operators';

describe('prefixUpperBound', () => {
  it.each([
    ['a', 'b'],
    ['ab', 'ac'],
    ['\ud7ff', '\ue000'],
    ['\uffff', '\u{10000}'],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}', null],
    ['x\u{1f600}', 'x\u{1f601}'],
    ['', null],
  ])('returns the end of the texts that start with %j: %j', (prefix, end) => {
    expect(prefixUpperBound(prefix)).toBe(end);
  });

  it('takes a prefix of any length', () => {
    expect(prefixUpperBound(`${'a'.repeat(200_000)}b`)).toBe(`${'a'.repeat(200_000)}c`);
  });
});
