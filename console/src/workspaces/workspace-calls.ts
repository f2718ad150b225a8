import { queryOptions } from '@tanstack/react-query';
import { dataRequest } from '../api/data';
import { reloadLists } from '../list/listing';
import type { NameAndDescription } from '../list/name-dialog';
import { queryClient, type Query } from '../query-client';
import type { Workspace } from './workspace';

export const WORKSPACES = '/workspaces';

export const workspaceQuery = (workspaceId: string): Query<Workspace> =>
  queryOptions({
    queryKey: ['workspace', workspaceId],
    queryFn: async ({ signal }) =>
      (await dataRequest<Workspace>('GET', `${WORKSPACES}/${workspaceId}`, { signal })).data,
  });

export async function createWorkspace(body: NameAndDescription, key: string): Promise<Workspace> {
  const { data } = await dataRequest<Workspace>('POST', WORKSPACES, { body, idempotencyKey: key });
  await reloadLists();
  return data;
}

export async function renameWorkspace(id: string, body: NameAndDescription): Promise<void> {
  const { data } = await dataRequest<Workspace>('PATCH', `${WORKSPACES}/${id}`, { body });
  queryClient.setQueryData(workspaceQuery(id).queryKey, data);
  await reloadLists();
}

/** @param isCascade Also deletes the datagrids in it. */
export async function deleteWorkspace(id: string, isCascade: boolean): Promise<void> {
  const query = isCascade ? { cascade: true } : {};
  await dataRequest('DELETE', `${WORKSPACES}/${id}`, { query });
  queryClient.removeQueries({ queryKey: ['workspace', id] });
  await reloadLists();
}
