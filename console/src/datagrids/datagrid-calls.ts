import { queryOptions } from '@tanstack/react-query';
import { dataRequest } from '../api/data';
import { reloadLists } from '../list/listing';
import type { NameAndDescription } from '../list/name-dialog';
import { queryClient, type Query } from '../query-client';
import type { Datagrid } from './datagrid';

/** Interval between requests for the progress of an index, in milliseconds. */
const INDEXING_MS = 2_000;

export const datagridQuery = (datagridId: string): Query<Datagrid> =>
  queryOptions({
    queryKey: ['datagrid', datagridId],
    queryFn: async ({ signal }) =>
      (await dataRequest<Datagrid>('GET', datagridPath(datagridId), { signal })).data,
    refetchInterval: ({ state }) =>
      state.data?.columns.some(({ indexing }) => indexing) ? INDEXING_MS : false,
  });

export const datagridPath = (datagridId: string): string => `/datagrids/${datagridId}`;

/** Creates a datagrid. It keeps history, so that imports into it can be undone. */
export async function createDatagrid(
  workspaceId: string,
  given: Partial<NameAndDescription> & {
    readonly name: string;
    readonly columns?: readonly object[];
  },
  key: string,
): Promise<Datagrid> {
  const body = { ...given, history: true };
  const path = `/workspaces/${workspaceId}/datagrids`;
  const { data } = await dataRequest<Datagrid>('POST', path, { body, idempotencyKey: key });
  await reloadLists();
  return data;
}

export async function renameDatagrid(id: string, body: NameAndDescription): Promise<void> {
  await dataRequest<Datagrid>('PATCH', datagridPath(id), { body });
  await reloadDatagrid(id);
  await reloadLists();
}

export async function deleteDatagrid(id: string): Promise<void> {
  await dataRequest('DELETE', datagridPath(id));
  queryClient.removeQueries({ queryKey: ['datagrid', id] });
  await reloadLists();
}

/** Reloads the name, columns and counts. */
export async function reloadDatagrid(id: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['datagrid', id] });
}
