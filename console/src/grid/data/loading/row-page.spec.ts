import { pagesOf, rowEtag, rowIndexOf, schemaVersionOf } from './row-page';

describe('pagesOf', () => {
  it('returns pages of the API, counted from 1', () => {
    expect(pagesOf(0, 200, 200)).toEqual([{ page: 1, limit: 200 }]);
    expect(pagesOf(9_999_800, 10_000_000, 200)).toEqual([{ page: 50_000, limit: 200 }]);
  });

  it('splits a block into smaller pages', () => {
    expect(pagesOf(200, 400, 100)).toEqual([
      { page: 3, limit: 100 },
      { page: 4, limit: 100 },
    ]);
  });

  it('rejects a block that is not made of whole pages', () => {
    expect(() => pagesOf(100, 300, 200)).toThrow(RangeError);
    expect(() => pagesOf(200, 200, 200)).toThrow(RangeError);
  });
});

describe('rowIndexOf', () => {
  it('accepts numbers from 1 with any digit grouping', () => {
    expect(rowIndexOf('1', 10)).toBe(0);
    expect(rowIndexOf('1,000,000', 2_000_000)).toBe(999_999);
    expect(rowIndexOf("9'999'999", 10_000_000)).toBe(9_999_998);
    expect(rowIndexOf(' 1 000 ', 5_000)).toBe(999);
  });

  it('limits the result to the existing rows', () => {
    expect(rowIndexOf('99999999', 10)).toBe(9);
    expect(rowIndexOf('0', 10)).toBe(0);
  });

  it('returns null without a number or without rows', () => {
    expect(rowIndexOf('', 10)).toBeNull();
    expect(rowIndexOf('-5', 10)).toBeNull();
    expect(rowIndexOf('1.5', 20)).toBeNull();
    expect(rowIndexOf('last', 10)).toBeNull();
    expect(rowIndexOf('1', 0)).toBeNull();
  });
});

describe('rowEtag', () => {
  it('combines the revision and the version of the columns', () => {
    expect(schemaVersionOf('"3-2"')).toBe(2);
    expect(schemaVersionOf('"3-12-aBc_4567890-defg"')).toBe(12);
    expect(schemaVersionOf('"3-12.gzip"')).toBe(12);
    expect(rowEtag(7, 12)).toBe('"7-12"');
  });

  it('returns no version for any other ETag', () => {
    expect(schemaVersionOf(undefined)).toBeNull();
    expect(schemaVersionOf('"fV1xJmWg"')).toBeNull();
  });
});
