import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { dataRequest } from '../api/data';

/** Maximum page size of the API. */
export const MAX_LISTED = 200;

export interface TreeNode {
  readonly id: string;
  readonly name: string;
}

interface Nodes {
  readonly nodes: readonly TreeNode[];
  /** True if there are more than `MAX_LISTED`. */
  readonly isCut: boolean;
}

/** Reads up to 200 names. The key starts with `list`, so that every change of a list reloads them. */
function useNodes(
  path: string,
  own: Readonly<Record<string, string>>,
  isNeeded: boolean,
): UseQueryResult<Nodes> {
  return useQuery({
    queryKey: ['list', path, 'tree'],
    enabled: isNeeded,
    queryFn: async ({ signal }): Promise<Nodes> => {
      const query = { ...own, limit: MAX_LISTED };
      const { data, meta } = await dataRequest<readonly TreeNode[]>('GET', path, { query, signal });
      const nodes = data.map(({ id, name }) => ({ id, name }));
      return { nodes, isCut: (meta?.totalPages ?? 1) > 1 };
    },
  });
}

/** The workspaces of the account. */
export const useWorkspaceNodes = (): UseQueryResult<Nodes> => useNodes('/workspaces', {}, true);

/** The datagrids of a workspace. */
export const useDatagridNodes = (workspaceId: string, isNeeded: boolean): UseQueryResult<Nodes> =>
  useNodes(`/workspaces/${workspaceId}/datagrids`, { omitColumns: 'true' }, isNeeded);
