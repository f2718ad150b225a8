import { pageMeta } from './page-meta';

describe('pageMeta', () => {
  it.each([
    ['an empty list', 1, 20, 0, 0, 0],
    ['a full page', 1, 20, 41, 20, 3],
    ['the last page', 3, 20, 41, 1, 3],
    ['a page past the end', 9, 20, 41, 0, 3],
    ['a list that fills its pages', 2, 20, 40, 20, 2],
    ['one item', 1, 200, 1, 1, 1],
  ])('of %s', (_name, page, limit, total, count, totalPages) => {
    expect(pageMeta({ page, limit }, total, count)).toEqual({
      total,
      page,
      pageSize: count,
      totalPages,
    });
  });
});
