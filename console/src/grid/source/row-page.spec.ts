import { pagesOf, rowEtag, rowIndexOf, schemaVersionOf } from './row-page';

describe('pages of the grid', () => {
  it('are the API’s, counted from 1, wherever the grid stands', () => {
    expect(pagesOf(0, 200, 200)).toEqual([{ page: 1, limit: 200 }]);
    expect(pagesOf(9_999_800, 10_000_000, 200)).toEqual([{ page: 50_000, limit: 200 }]);
  });

  it('come in smaller parts where whole ones are too large', () => {
    expect(pagesOf(200, 400, 100)).toEqual([
      { page: 3, limit: 100 },
      { page: 4, limit: 100 },
    ]);
  });

  it('begin and end with a page', () => {
    expect(() => pagesOf(100, 300, 200)).toThrow(RangeError);
    expect(() => pagesOf(200, 200, 200)).toThrow(RangeError);
  });
});

describe('going to a row', () => {
  it('takes its number from 1, however it is grouped', () => {
    expect(rowIndexOf('1', 10)).toBe(0);
    expect(rowIndexOf('1,000,000', 2_000_000)).toBe(999_999);
    expect(rowIndexOf("9'999'999", 10_000_000)).toBe(9_999_998);
    expect(rowIndexOf(' 1 000 ', 5_000)).toBe(999);
  });

  it('stays within what there is', () => {
    expect(rowIndexOf('99999999', 10)).toBe(9);
    expect(rowIndexOf('0', 10)).toBe(0);
  });

  it('goes nowhere without a number or without rows', () => {
    expect(rowIndexOf('', 10)).toBeNull();
    expect(rowIndexOf('-5', 10)).toBeNull();
    expect(rowIndexOf('1.5', 20)).toBeNull();
    expect(rowIndexOf('last', 10)).toBeNull();
    expect(rowIndexOf('1', 0)).toBeNull();
  });
});

describe('the ETag of a row', () => {
  it('consists of its revision and the version of the columns', () => {
    expect(schemaVersionOf('"3-2"')).toBe(2);
    expect(schemaVersionOf('"3-12-aBc_4567890-defg"')).toBe(12);
    expect(schemaVersionOf('"3-12.gzip"')).toBe(12);
    expect(rowEtag(7, 12)).toBe('"7-12"');
  });

  it('is not made up if the page has no such ETag', () => {
    expect(schemaVersionOf(undefined)).toBeNull();
    expect(schemaVersionOf('"fV1xJmWg"')).toBeNull();
  });
});
