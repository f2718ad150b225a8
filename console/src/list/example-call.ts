import { queryOptions } from '@tanstack/react-query';
import { dataRequest } from '../api/data';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Objects of the account to begin with; `null` if there are none. */
export interface FirstObjects {
  readonly workspace: Named | null;
  readonly datagrid: Named | null;
}

/** A datagrid is looked for in this many workspaces. */
const MAX_WORKSPACES = 5;

/** Finds the first workspace and the first datagrid of the account. Changes of lists reload them. */
export const firstObjectsQuery = queryOptions({
  queryKey: ['list', 'first-objects'],
  queryFn: async ({ signal }): Promise<FirstObjects> => {
    const { data: workspaces } = await dataRequest<readonly Named[]>('GET', '/workspaces', {
      query: { limit: MAX_WORKSPACES },
      signal,
    });
    for (const workspace of workspaces) {
      const path = `/workspaces/${workspace.id}/datagrids`;
      const query = { limit: 1, omitColumns: 'true' };
      const { data } = await dataRequest<readonly Named[]>('GET', path, { query, signal });
      if (data[0]) return { workspace, datagrid: data[0] };
    }
    return { workspace: workspaces[0] ?? null, datagrid: null };
  },
});

/** Returns a call that reads rows of a datagrid, or the user's profile if there is none. */
export function exampleCurl(key: string, datagridId: string | undefined): string {
  const path = datagridId === undefined ? 'me' : `datagrids/${datagridId}/rows?limit=3`;
  const url = `${window.location.origin}/api/v1/public/${path}`;
  return `curl -H "Authorization: Bearer ${key}" "${url}"`;
}
