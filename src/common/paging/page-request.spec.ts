import fc from 'fast-check';
import { pageLinks, pageMeta, parsePageRequest } from './page-request';

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
  it('formats a Link header', () => {
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
  ])('links the pages around %s', (_name, page, totalPages, expected) => {
    expect(relations(page, totalPages)).toEqual(expected);
  });

  it('returns an empty string for an empty list', () => {
    expect(pageLinks(PATH, { page: 1, limit: 20 }, {}, 0)).toBe('');
  });

  it('keeps the other parameters', () => {
    const query = { page: '1', sort: '-name', tag: ['a b', 'c&d'], odd: { not: 'text' } };
    expect(pageLinks(PATH, { page: 1, limit: 20 }, query, 1)).toContain(
      `<${PATH}?page=1&limit=20&sort=-name&tag=a+b&tag=c%26d>; rel="first"`,
    );
  });

  it('escapes every character that could end the URL', () => {
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

describe('pageMeta', () => {
  it.each([
    ['an empty list', 1, 20, 0, 0, 0],
    ['a full page', 1, 20, 41, 20, 3],
    ['the last page', 3, 20, 41, 1, 3],
    ['a page past the end', 9, 20, 41, 0, 3],
    ['a list that fills its pages', 2, 20, 40, 20, 2],
    ['one item', 1, 200, 1, 1, 1],
  ])('counts items and pages for %s', (_name, page, limit, total, count, totalPages) => {
    expect(pageMeta({ page, limit }, total, count)).toEqual({
      total,
      page,
      pageSize: count,
      totalPages,
    });
  });
});

function codes(query: Record<string, unknown>): string[] {
  const parsed = parsePageRequest(query);
  return parsed.ok ? [] : parsed.errors.map(({ field, code }) => `${field} ${code}`);
}

describe('parsePageRequest', () => {
  it('defaults to page 1 with a limit of 20', () => {
    expect(parsePageRequest({})).toEqual({ ok: true, value: { page: 1, limit: 20 } });
  });

  it('accepts every valid page and limit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 45035996273704 }),
        fc.integer({ min: 1, max: 200 }),
        (page, limit) => {
          const query = { page: String(page), limit: String(limit) };
          expect(parsePageRequest(query)).toEqual({ ok: true, value: { page, limit } });
          expect(Number.isSafeInteger(page * limit)).toBe(true);
        },
      ),
    );
  });

  it('ignores other parameters', () => {
    expect(codes({ page: '1', Limit: 'x', cascade: ['1', '2'] })).toEqual([]);
  });

  it('reports both parameters if both are invalid', () => {
    expect(codes({ page: '0', limit: 'x' })).toEqual(['page out_of_range', 'limit invalid_format']);
  });

  it('names the accepted range', () => {
    expect(parsePageRequest({ limit: '201' })).toEqual({
      ok: false,
      errors: [
        { field: 'limit', code: 'out_of_range', message: 'must be an integer from 1 to 200' },
      ],
    });
  });
});

describe('parsePageRequest, for an invalid value', () => {
  describe.each(['page', 'limit'])('%s', (name) => {
    it.each([
      ['0', 'out_of_range'],
      ['-1', 'out_of_range'],
      ['9223372036854775808', 'out_of_range'],
      ['9'.repeat(5_000), 'out_of_range'],
      ['1.5', 'invalid_format'],
      ['1.0', 'invalid_format'],
      ['1e21', 'invalid_format'],
      ['1e2', 'invalid_format'],
      ['0x10', 'invalid_format'],
      ['01', 'invalid_format'],
      ['+1', 'invalid_format'],
      [' 1', 'invalid_format'],
      ['1 ', 'invalid_format'],
      ['1\n', 'invalid_format'],
      ['', 'invalid_format'],
      ['ten', 'invalid_format'],
      ['NaN', 'invalid_format'],
      ['١', 'invalid_format'],
      [{ $gt: '1' }, 'invalid_format'],
      [['1', '2'], 'duplicate_parameter'],
      [['1', '1'], 'duplicate_parameter'],
    ])('rejects %j', (value, code) => {
      expect(codes({ [name]: value })).toEqual([`${name} ${code}`]);
    });
  });

  it('rejects the first value above each maximum', () => {
    expect(codes({ limit: '200', page: '45035996273704' })).toEqual([]);
    expect(codes({ limit: '201' })).toEqual(['limit out_of_range']);
    expect(codes({ page: '45035996273705' })).toEqual(['page out_of_range']);
  });
});
