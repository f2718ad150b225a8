import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { dataRequest } from '../api/data';

/** Returns a call of the user's own data, or of their profile if there is no datagrid. */
export function curlOf(key: string, datagridId: string | undefined): string {
  const path = datagridId === undefined ? 'me' : `datagrids/${datagridId}/rows?limit=3`;
  const url = `${window.location.origin}/api/v1/public/${path}`;
  return `curl -H "Authorization: Bearer ${key}" "${url}"`;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A datagrid is looked for in this many workspaces. */
const MAX_WORKSPACES = 5;

/** Finds a datagrid of the account for an example call; `null` if there is none. */
export function useFirstDatagrid(): UseQueryResult<Named | null> {
  return useQuery({
    queryKey: ['list', 'first-datagrid'],
    queryFn: async ({ signal }): Promise<Named | null> => {
      const workspaces = await dataRequest<readonly Named[]>('GET', '/workspaces', {
        query: { limit: MAX_WORKSPACES },
        signal,
      });
      for (const { id } of workspaces.data) {
        const { data } = await dataRequest<readonly Named[]>('GET', `/workspaces/${id}/datagrids`, {
          query: { limit: 1, omitColumns: 'true' },
          signal,
        });
        if (data[0]) return data[0];
      }
      return null;
    },
  });
}
