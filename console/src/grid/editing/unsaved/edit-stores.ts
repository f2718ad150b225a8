import { guardWindow } from '../../../common/leave-guard';
import { isComputed } from '../../../datagrids/column-type';
import type { Datagrid } from '../../../datagrids/datagrid';
import { EditStore } from './edit-store';
import { rowSender } from './row-sender';

/**
 * Edit stores by user and datagrid. They outlive the page, so that unsaved edits are kept when the
 * user returns.
 */
const stores = new Map<string, EditStore>();

/** Ids of the datagrids with computed columns. */
const computed = new Set<string>();

export function editStoreOf(userId: string, { id, columns }: Datagrid): EditStore {
  const name = `${userId} ${id}`;
  // Edits from before a change of the key are saved under the previous one.
  const byKey = new Map(
    columns.flatMap((column) => [
      ...(column.previousKeys ?? []).map(({ key }) => [key, column] as const),
      [column.key, column] as const,
    ]),
  );
  if (columns.some(({ type }) => isComputed(type))) computed.add(id);
  else computed.delete(id);
  const hasComputed = (): boolean => computed.has(id);
  const store = stores.get(name) ?? new EditStore(rowSender(id, hasComputed), byKey);
  store.setColumns(byKey);
  stores.set(name, store);
  return store;
}

guardWindow(() => [...stores.values()].some((store) => store.all().length > 0));
