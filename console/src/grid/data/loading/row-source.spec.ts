import { ApiError } from '../../../api/api-error';
import type { ApiResponse } from '../../../api/api-response';
import type { Row } from '../../../datagrids/datagrid';
import type { LinkedRows } from '../../cells/links/link-titles';
import type { PageRequest } from './row-page';
import { withLinkedRows } from './row-source';

const PAGE = { page: 1, limit: 200 };

const response = (etag: string, linked?: LinkedRows): ApiResponse<readonly Row[]> => ({
  data: [],
  meta: { total: 0, page: 1, pageSize: 0, totalPages: 0, linked },
  etag,
  status: 200,
  headers: new Headers(),
});

let expanded: (string | undefined)[];
let taken: LinkedRows[];
let isExpanding: boolean;

const links = {
  expand: () => (isExpanding ? 'airline' : undefined),
  take: (linked: LinkedRows) => {
    taken.push(linked);
    return Promise.resolve();
  },
  stopExpanding: () => {
    isExpanding = false;
  },
};

type Read = (page: PageRequest) => Promise<ApiResponse<readonly Row[]>>;

const read = (of: (expand: string | undefined) => ApiResponse<readonly Row[]>): Read =>
  withLinkedRows(links, (_page, expand) => {
    expanded.push(expand);
    return Promise.resolve().then(() => of(expand));
  });

beforeEach(() => {
  [expanded, taken, isExpanding] = [[], [], true];
});

describe('withLinkedRows', () => {
  it('reads a page once, with its linked rows', async () => {
    const linked = { airline: {} };
    await read(() => response('"3-1-abc"', linked))(PAGE);
    expect([expanded, taken]).toEqual([['airline'], [linked]]);
  });

  it.each([
    [
      'exceed a limit',
      new ApiError(400, 'invalid_request', '', [
        { field: 'expand', code: 'too_large', message: '' },
      ]),
    ],
    ['are of a datagrid without access', new ApiError(403, 'forbidden', '')],
  ])('reads the page and the next ones without linked rows that %s', async (_why, error) => {
    const page = read((expand) => {
      if (expand !== undefined) throw error;
      return response('"3-1"');
    });
    await page(PAGE);
    await page(PAGE);
    expect([expanded, taken]).toEqual([['airline', undefined, undefined], []]);
  });

  it('reads the page again if the response does not name its version', async () => {
    const { etag } = await read((expand) => response(expand ? '"hash"' : '"3-1"'))(PAGE);
    expect([etag, expanded]).toEqual(['"3-1"', ['airline', undefined]]);
  });

  it('throws any other error', async () => {
    const error = new ApiError(400, 'query_too_expensive', '');
    const page = read(() => {
      throw error;
    });
    await expect(page(PAGE)).rejects.toBe(error);
    expect(expanded).toEqual(['airline']);
  });
});
