import type { IDatasource, IGetRowsParams } from 'ag-grid-community';
import { isApiError } from '../../../api/api-error';
import type { ApiResponse } from '../../../api/api-response';
import { dataRequest } from '../../../api/data';
import type { Row } from '../../../datagrids/datagrid';
import { datagridPath } from '../../../datagrids/datagrid-calls';
import type { RowQuery } from '../../../datagrids/row-query';
import type { KnownRow } from '../../cells/known-row';
import type { LinkedRows, LinkTitles } from '../../cells/links/link-titles';
import { ReadAhead } from './read-ahead';
import {
  MAX_LIMIT,
  pagesOf,
  revisionOf,
  schemaVersionOf,
  SMALL_LIMIT,
  type PageRequest,
} from './row-page';

export interface RowSourceEvents {
  readonly onTotal: (total: number) => void;
  readonly onFailure: (error: unknown) => void;
  /**
   * @param revision Revision of the datagrid when the first rows were read.
   * @param atMs Time of the server.
   */
  readonly onLoaded: (revision: number, atMs: number) => void;
  /** Returns a loaded row, or a newer state of it. */
  readonly newestOf: (row: KnownRow) => KnownRow;
  readonly links: LinkedRowsOfPages;
}

/** Takes the linked rows that come with pages. */
export type LinkedRowsOfPages = Pick<LinkTitles, 'expand' | 'take' | 'stopExpanding'>;

/** Rows of one datagrid by position, for a grid that loads blocks of `MAX_LIMIT`. */
export function rowSource(
  datagridId: string,
  rowQuery: RowQuery,
  { onTotal, onFailure, onLoaded, newestOf, links }: RowSourceEvents,
): IDatasource {
  const abort = new AbortController();
  const read = withLinkedRows(links, (page, expand) =>
    dataRequest<readonly Row[]>('GET', `${datagridPath(datagridId)}/rows`, {
      query: { ...page, ...rowQuery, expand },
      signal: abort.signal,
    }),
  );

  const blocks = new ReadAhead((startRow, endRow) => readBlock(read, startRow, endRow));

  const load = async ({ startRow, endRow, ...grid }: IGetRowsParams): Promise<void> => {
    try {
      const { rows, total, first } = await blocks.take(startRow, endRow);
      onTotal(total);
      grid.successCallback(rows.map(newestOf), total);
      const revision = revisionOf(first?.etag);
      const atMs = Date.parse(first?.headers.get('Date') ?? '');
      if (revision !== null) onLoaded(revision, Number.isNaN(atMs) ? Date.now() : atMs);
    } catch (error) {
      grid.failCallback();
      if (!abort.signal.aborted) onFailure(error);
    }
  };

  return {
    getRows: (parameters) => void load(parameters),
    destroy: () => {
      abort.abort();
    },
  };
}

/** Reads the rows at the positions from `from` to `to`, inclusive. There may be fewer. */
export async function readRows(
  datagridId: string,
  rowQuery: RowQuery,
  from: number,
  to: number,
): Promise<readonly KnownRow[]> {
  const start = Math.floor(from / MAX_LIMIT) * MAX_LIMIT;
  const end = Math.ceil((to + 1) / MAX_LIMIT) * MAX_LIMIT;
  const read: ReadPage = (page) =>
    dataRequest<readonly Row[]>('GET', `${datagridPath(datagridId)}/rows`, {
      query: { ...page, ...rowQuery },
    });
  const { rows } = await readBlock(read, start, end);
  return rows.slice(from - start, to + 1 - start);
}

/**
 * Returns a function that reads a page with its linked rows. If these exceed a limit of the service, or
 * the user has no access to them, it reads the page without them.
 */
export function withLinkedRows(
  links: LinkedRowsOfPages,
  read: (page: PageRequest, expand: string | undefined) => ReturnType<ReadPage>,
): ReadPage {
  return async (page) => {
    const expand = links.expand();
    if (expand === undefined) return read(page, undefined);
    try {
      const response = await read(page, expand);
      // A service of an earlier release does not name the version of a page with linked rows.
      if (revisionOf(response.etag) !== null) {
        await links.take((response.meta?.linked ?? {}) as LinkedRows);
        return response;
      }
    } catch (error) {
      if (!isAboutExpand(error)) throw error;
    }
    links.stopExpanding();
    return read(page, undefined);
  };
}

function isAboutExpand(error: unknown): boolean {
  if (!isApiError(error)) return false;
  return error.status === 403 || error.details.some(({ field }) => field === 'expand');
}

type ReadPage = (page: PageRequest) => Promise<ApiResponse<readonly Row[]>>;

interface Block {
  readonly rows: KnownRow[];
  readonly total: number;
  /** Response with the first page. */
  readonly first: ApiResponse<readonly Row[]> | undefined;
}

/** Loads smaller pages if the rows are too large for one response. */
async function readBlock(read: ReadPage, startRow: number, endRow: number): Promise<Block> {
  try {
    return await readPages(read, pagesOf(startRow, endRow, MAX_LIMIT));
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return readPages(read, pagesOf(startRow, endRow, SMALL_LIMIT));
  }
}

async function readPages(read: ReadPage, pages: readonly PageRequest[]): Promise<Block> {
  const rows: KnownRow[] = [];
  let total = 0;
  let first: Block['first'];
  for (const page of pages) {
    const response = await read(page);
    first ??= response;
    const { data, meta, etag } = response;
    const schemaVersion = schemaVersionOf(etag) ?? 0;
    rows.push(...data.map(({ id, values, revision }) => ({ id, values, revision, schemaVersion })));
    total = meta?.total ?? total;
  }
  return { rows, total, first };
}

function isTooLarge(error: unknown): boolean {
  return (
    isApiError(error, 'invalid_request') &&
    error.details.some(({ field, code }) => field === 'limit' && code === 'too_large')
  );
}
