import type { GridApi } from 'ag-grid-community';
import { dataRequest } from '../../../api/data';
import { datagridPath } from '../../../datagrids/datagrid-calls';
import type { KnownRow } from '../../cells/known-row';

/**
 * Returns the position of a row in the grid; undefined if it is unknown.
 * @param isPlain True for the view of all rows in the order of their ids.
 */
export async function rowIndex(
  rowId: number,
  datagridId: string,
  api: GridApi<KnownRow> | undefined,
  isPlain: boolean,
): Promise<number | undefined> {
  const index = api?.getRowNode(String(rowId))?.rowIndex;
  if (index !== null && index !== undefined) return index;
  if (!isPlain) return undefined;
  const filter = JSON.stringify({ _id: { $lt: rowId } });
  const query = { filter, limit: 1 };
  return (await dataRequest('GET', `${datagridPath(datagridId)}/rows`, { query })).meta?.total;
}
