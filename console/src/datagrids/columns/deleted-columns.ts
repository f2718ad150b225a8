import { randomKey } from '../../api/attempt-key';
import { dataRequest } from '../../api/data';
import type { Column } from '../datagrid';
import { datagridPath, reloadDatagrid } from '../datagrid-calls';
import { removeColumn } from './column-change';

const PAGE_SIZE = 200;

/** A deleted column, as in the public API. */
export interface DeletedColumn extends Column {
  readonly id: number;
  readonly deletedAt: string;
  readonly expiresAt: string;
  readonly userId: string | null;
  /** `null` for a deletion in the console. */
  readonly keyId: string | null;
}

/** How to restore a deleted column. */
export interface ColumnRestoration {
  readonly id: number;
  readonly key: string;
  /** By default as before the deletion. */
  readonly required?: boolean;
  readonly unique?: boolean;
}

/** Reads all deleted columns of a datagrid, most recently deleted first. */
export async function readDeletedColumns(
  datagridId: string,
  signal?: AbortSignal,
): Promise<readonly DeletedColumn[]> {
  const columns: DeletedColumn[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = await dataRequest<readonly DeletedColumn[]>(
      'GET',
      `${datagridPath(datagridId)}/trash/columns`,
      { query: { limit: PAGE_SIZE, page }, ...(signal && { signal }) },
    );
    columns.push(...data);
    if (data.length < PAGE_SIZE) return columns;
  }
}

/**
 * Moves a column to the trash.
 * @returns its id there; undefined if the trash cannot be read, or somebody has restored it meanwhile.
 */
export async function deleteColumn(datagridId: string, key: string): Promise<number | undefined> {
  await removeColumn(datagridId, key);
  const deleted = await readDeletedColumns(datagridId).catch(() => []);
  return deleted.find((column) => column.key === key)?.id;
}

/** Restores a deleted column with its values. */
export async function restoreColumn(datagridId: string, body: ColumnRestoration): Promise<Column> {
  const path = `${datagridPath(datagridId)}/trash/columns/restore`;
  const options = { body, idempotencyKey: randomKey() };
  const { data } = await dataRequest<Column>('POST', path, options);
  await reloadDatagrid(datagridId);
  return data;
}

/** Returns a key that no column of the datagrid has: the given one, or one with a number after it. */
export function freeKey(key: string, columns: readonly Pick<Column, 'key'>[]): string {
  const taken = new Set(columns.map((column) => column.key));
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? key : `${key.slice(0, 58)}_${n}`;
    if (!taken.has(free)) return free;
  }
}
