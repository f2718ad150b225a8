import { isApiError } from '../../api/api-error';
import type { ApiResponse } from '../../api/api-response';
import { dataRequest } from '../../api/data';
import type { Datagrid, JsonValue, Row } from '../../datagrids/datagrid';
import { datagridPath, reloadDatagrid } from '../../datagrids/datagrid-calls';
import { gridText } from '../../text/grid-text';
import type { HistoryEntry } from './row-history';

const PAGE_SIZE = 50;

/** Thrown if the row was written after the history was read. */
export class RowChangedError extends Error {
  constructor() {
    super(gridText.history.othersChanged);
  }
}

/** Reads one page of the history of a row, newest first. */
export function readHistory(
  datagridId: string,
  rowId: number,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<ApiResponse<readonly HistoryEntry[]>> {
  const query = { limit: PAGE_SIZE, cursor };
  return dataRequest('GET', `${rowPath(datagridId, rowId)}/history`, { query, signal });
}

/**
 * Restores the values of the row after an earlier write, also if the row was deleted.
 * @param newest The newest entry that the user has seen.
 * @throws RowChangedError, or ApiError
 */
export async function restoreVersion(
  datagridId: string,
  rowId: number,
  newest: HistoryEntry,
  revision: number,
): Promise<void> {
  const ifMatch = await currentEtag(datagridId, rowId, newest);
  await send('POST', `${rowPath(datagridId, rowId)}/restore`, { revision }, ifMatch);
}

/** Like `restoreVersion`, for one value. */
export async function restoreValue(
  datagridId: string,
  rowId: number,
  newest: HistoryEntry,
  key: string,
  value: JsonValue,
): Promise<void> {
  const ifMatch = await currentEtag(datagridId, rowId, newest);
  await send('PATCH', rowPath(datagridId, rowId), { values: { [key]: value } }, ifMatch);
}

/** Turns the history of a datagrid on. */
export async function turnHistoryOn(datagridId: string): Promise<void> {
  await dataRequest<Datagrid>('PATCH', datagridPath(datagridId), { body: { history: true } });
  await reloadDatagrid(datagridId);
}

function rowPath(datagridId: string, rowId: number): string {
  return `${datagridPath(datagridId)}/rows/${rowId}`;
}

/** @returns the ETag of the row; undefined if the row was deleted. */
async function currentEtag(
  datagridId: string,
  rowId: number,
  newest: HistoryEntry,
): Promise<string | undefined> {
  const isDeleted = newest.operation === 'deleted';
  try {
    const { data, etag } = await dataRequest<Row>('GET', rowPath(datagridId, rowId));
    if (isDeleted || data.revision !== newest.revision) throw new RowChangedError();
    return etag;
  } catch (error) {
    if (!isApiError(error, 'not_found')) throw error;
    if (!isDeleted) throw new RowChangedError();
    return undefined;
  }
}

async function send(
  method: 'POST' | 'PATCH',
  path: string,
  body: unknown,
  ifMatch: string | undefined,
): Promise<void> {
  try {
    await dataRequest(method, path, { body, ifMatch });
  } catch (error) {
    if (isApiError(error, 'precondition_failed')) throw new RowChangedError();
    throw error;
  }
}
