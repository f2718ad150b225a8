import type { IDatasource, IGetRowsParams } from 'ag-grid-community';
import { isApiError } from '../../api/api-error';
import { dataRequest } from '../../api/data';
import type { ApiResponse } from '../../api/api-response';
import type { Row } from '../../datagrids/datagrid';
import { datagridPath } from '../../datagrids/datagrid-calls';
import type { RowQuery } from '../../datagrids/row-query';
import type { KnownRow } from '../edits/row-edit';
import { MAX_LIMIT, pagesOf, schemaVersionOf, SMALL_LIMIT, type PageRequest } from './row-page';

export interface RowSourceEvents {
  readonly onTotal: (total: number) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Rows of one datagrid by position, for a grid that loads blocks of `MAX_LIMIT`. */
export function rowSource(
  datagridId: string,
  rowQuery: RowQuery,
  { onTotal, onFailure }: RowSourceEvents,
): IDatasource {
  const abort = new AbortController();
  const read = (page: PageRequest): Promise<ApiResponse<readonly Row[]>> =>
    dataRequest<readonly Row[]>('GET', `${datagridPath(datagridId)}/rows`, {
      query: { ...page, ...rowQuery },
      signal: abort.signal,
    });

  const load = async ({ startRow, endRow, ...grid }: IGetRowsParams): Promise<void> => {
    try {
      const { rows, total } = await readBlock(read, startRow, endRow);
      onTotal(total);
      grid.successCallback(rows, total);
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

type ReadPage = (page: PageRequest) => Promise<ApiResponse<readonly Row[]>>;

/** Loads smaller pages if the rows are too large for one response. */
async function readBlock(
  read: ReadPage,
  startRow: number,
  endRow: number,
): Promise<{ rows: KnownRow[]; total: number }> {
  try {
    return await readPages(read, pagesOf(startRow, endRow, MAX_LIMIT));
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return readPages(read, pagesOf(startRow, endRow, SMALL_LIMIT));
  }
}

async function readPages(
  read: ReadPage,
  pages: readonly PageRequest[],
): Promise<{ rows: KnownRow[]; total: number }> {
  const rows: KnownRow[] = [];
  let total = 0;
  for (const page of pages) {
    const { data, meta, etag } = await read(page);
    const schemaVersion = schemaVersionOf(etag) ?? 0;
    rows.push(...data.map(({ id, values, revision }) => ({ id, values, revision, schemaVersion })));
    total = meta?.total ?? total;
  }
  return { rows, total };
}

function isTooLarge(error: unknown): boolean {
  return (
    isApiError(error, 'invalid_request') &&
    error.details.some(({ field, code }) => field === 'limit' && code === 'too_large')
  );
}
