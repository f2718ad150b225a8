import { MatchedRows } from './matched-rows';

describe('MatchedRows', () => {
  it('has the ids that were added, and no others', () => {
    const matched = new MatchedRows();
    const ids = [1, 7, 8, 65_535, 65_536, 131_072, 2 ** 31, 2 ** 31 + 9, 2 ** 53 - 1];
    matched.add(ids);
    matched.add([]);
    expect(ids.filter((id) => !matched.has(id))).toEqual([]);
    const others = [2, 6, 9, 65_534, 65_537, 2 ** 31 - 1, 2 ** 31 + 8, 2 ** 53 - 2];
    expect(others.filter((id) => matched.has(id))).toEqual([]);
  });
});
