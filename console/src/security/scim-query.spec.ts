import { request } from '../api/client';
import { readGroups } from './scim-query';

jest.mock('../api/client', () => ({ request: jest.fn() }));
jest.mock('../query-client', () => ({ queryClient: {} }));

const requested = request as unknown as jest.Mock;

const { signal } = new AbortController();

describe('groups of a directory', () => {
  afterEach(() => {
    requested.mockReset();
  });

  it('are those of the last page if that one is gone which was open', async () => {
    requested.mockResolvedValueOnce({ data: [], meta: { totalPages: 1 } });
    requested.mockResolvedValueOnce({ data: [{ id: 'g1' }], meta: { totalPages: 1 } });
    expect(await readGroups(2, signal)).toEqual({ groups: [{ id: 'g1' }], page: 1, pages: 1 });
    expect(requested.mock.calls.map(([, path]: [string, string]) => path)).toEqual([
      '/scim/groups?page=2&limit=50',
      '/scim/groups?page=1&limit=50',
    ]);
  });

  it('may be none', async () => {
    requested.mockResolvedValueOnce({ data: [], meta: { totalPages: 0 } });
    expect(await readGroups(1, signal)).toEqual({ groups: [], page: 1, pages: 1 });
  });
});
