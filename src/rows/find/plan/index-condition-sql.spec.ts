import { textAfter } from './index-condition-sql';

describe('textAfter', () => {
  it.each([
    ['a', 'b'],
    ['ab', 'ac'],
    ['\ud7ff', '\ue000'],
    ['\uffff', '\u{10000}'],
    ['a\u{10ffff}', 'b'],
    ['\u{10ffff}', null],
    ['', null],
  ])('%j ends before %j', (prefix, end) => {
    expect(textAfter(prefix)).toBe(end);
  });
});
