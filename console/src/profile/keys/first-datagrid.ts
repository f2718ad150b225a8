import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { dataRequest } from '../../api/data';

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
