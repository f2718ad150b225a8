import { pageLinks } from './page-links';

const PATH = '/api/v1/public/workspaces';

/** Returns the page of each relation. Every link must have the same path and other parameters. */
function relations(page: number, totalPages: number): Record<string, number> {
  const header = pageLinks(PATH, { page, limit: 20 }, {}, totalPages);
  const links = header.matchAll(/<[^>]*\?page=(\d+)&limit=20>; rel="(\w+)"/g);
  return Object.fromEntries(
    Array.from(links, ([, target, relation = '']): [string, number] => [relation, Number(target)]),
  );
}

describe('pageLinks', () => {
  it('is a Link header', () => {
    expect(pageLinks(PATH, { page: 2, limit: 5 }, { limit: '5', page: '2' }, 3)).toBe(
      `<${PATH}?page=1&limit=5>; rel="first", ` +
        `<${PATH}?page=1&limit=5>; rel="prev", ` +
        `<${PATH}?page=3&limit=5>; rel="next", ` +
        `<${PATH}?page=3&limit=5>; rel="last"`,
    );
  });

  it.each([
    ['the first page', 1, 3, { first: 1, next: 2, last: 3 }],
    ['a page between', 2, 3, { first: 1, prev: 1, next: 3, last: 3 }],
    ['the last page', 3, 3, { first: 1, prev: 2, last: 3 }],
    ['the page after the last', 4, 3, { first: 1, prev: 3, last: 3 }],
    ['a page far past the end', 99, 3, { first: 1, prev: 3, last: 3 }],
    ['the only page', 1, 1, { first: 1, last: 1 }],
    ['an empty list', 1, 0, {}],
    ['a page past an empty list', 7, 0, {}],
  ])('of %s', (_name, page, totalPages, expected) => {
    expect(relations(page, totalPages)).toEqual(expected);
  });

  it('is empty where the list is', () => {
    expect(pageLinks(PATH, { page: 1, limit: 20 }, {}, 0)).toBe('');
  });

  it('keeps the other parameters', () => {
    const query = { page: '1', sort: '-name', tag: ['a b', 'c&d'], odd: { not: 'text' } };
    expect(pageLinks(PATH, { page: 1, limit: 20 }, query, 1)).toContain(
      `<${PATH}?page=1&limit=20&sort=-name&tag=a+b&tag=c%26d>; rel="first"`,
    );
  });

  it('lets nothing out of the URL', () => {
    const header = pageLinks(
      '/a>; rel="x"\r\n/%20ü',
      { page: 1, limit: 20 },
      { 'q>"': '>\r\n,' },
      1,
    );
    expect(header.split(', ')[0]).toBe(
      '</a%3E;%20rel=%22x%22%0D%0A/%20%C3%BC?page=1&limit=20&q%3E%22=%3E%0D%0A%2C>; rel="first"',
    );
  });
});
