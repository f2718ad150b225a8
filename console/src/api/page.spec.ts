import { request } from './client';
import { readPage } from './page';

jest.mock('./client', () => ({ request: jest.fn() }));

const requested = request as unknown as jest.Mock;

const { signal } = new AbortController();

describe('the items of a page', () => {
  afterEach(() => {
    requested.mockReset();
  });

  it('are those of the last page if that one is gone which was open', async () => {
    requested.mockResolvedValueOnce({ data: [], meta: { totalPages: 1 } });
    requested.mockResolvedValueOnce({ data: [{ id: 'g1' }], meta: { totalPages: 1 } });
    expect(await readPage('/groups', 2, signal)).toEqual({
      items: [{ id: 'g1' }],
      page: 1,
      pages: 1,
    });
    expect(requested.mock.calls).toEqual([
      ['GET', '/groups', { query: { page: 2, limit: 50 }, signal }],
      ['GET', '/groups', { query: { page: 1, limit: 50 }, signal }],
    ]);
  });

  it('may be none', async () => {
    requested.mockResolvedValueOnce({ data: [], meta: { totalPages: 0 } });
    expect(await readPage('/groups', 1, signal)).toEqual({ items: [], page: 1, pages: 1 });
  });
});
