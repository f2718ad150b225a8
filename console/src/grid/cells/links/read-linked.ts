import { dataRequest } from '../../../api/data';
import type { Row } from '../../../datagrids/datagrid';
import { datagridPath, datagridQuery } from '../../../datagrids/datagrid-calls';
import { queryClient } from '../../../query-client';
import { MAX_READ, type TitleReader } from './link-titles';

/** Query of rows in a body. */
export interface RowsBody {
  readonly filter?: object;
  readonly fields: string;
  readonly limit: number;
}

/** Reads rows without counting those that match. */
export async function queryRows(
  datagridId: string,
  body: RowsBody,
  signal?: AbortSignal,
): Promise<readonly Row[]> {
  const { data } = await dataRequest<readonly Row[]>(
    'POST',
    `${datagridPath(datagridId)}/rows/query`,
    { body: { ...body, cursor: '' }, ...(signal && { signal }) },
  );
  return data;
}

/** Reads titles from the service. */
export const TITLE_READER: TitleReader = {
  columns: async (datagridId) => (await queryClient.query(datagridQuery(datagridId))).columns,
  rows: (datagridId, key, ids) =>
    queryRows(datagridId, {
      filter: { _id: { $in: ids.map(Number) } },
      fields: key,
      limit: MAX_READ,
    }),
};
