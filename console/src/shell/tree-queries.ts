import {
  useQueries,
  useQuery,
  type UseQueryOptions,
  type UseQueryResult,
} from '@tanstack/react-query';
import { dataRequest } from '../api/data';

/** Programs create datagrids too, so the names are read again after this time, in milliseconds. */
const READ_AGAIN_MS = 10_000;

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
const nodesQuery = (
  path: string,
  own: Readonly<Record<string, string>>,
  isNeeded: boolean,
): UseQueryOptions<Nodes> => ({
  queryKey: ['list', path, 'tree'],
  enabled: isNeeded,
  refetchInterval: READ_AGAIN_MS,
  queryFn: async ({ signal }) => {
    const query = { ...own, limit: MAX_LISTED };
    const { data, meta } = await dataRequest<readonly TreeNode[]>('GET', path, { query, signal });
    const nodes = data.map(({ id, name }) => ({ id, name }));
    return { nodes, isCut: (meta?.totalPages ?? 1) > 1 };
  },
});

const datagridsQuery = (workspaceId: string, isNeeded: boolean): UseQueryOptions<Nodes> =>
  nodesQuery(`/workspaces/${workspaceId}/datagrids`, { omitColumns: 'true' }, isNeeded);

/** The workspaces of the account. */
export const useWorkspaceNodes = (): UseQueryResult<Nodes> =>
  useQuery(nodesQuery('/workspaces', {}, true));

/** The datagrids of a workspace. */
export const useDatagridNodes = (workspaceId: string, isNeeded: boolean): UseQueryResult<Nodes> =>
  useQuery(datagridsQuery(workspaceId, isNeeded));

/** Maximum number of workspaces whose datagrids a search reads. */
export const MAX_SEARCHED_WORKSPACES = 50;

/** The datagrids of the first workspaces, each with the name of its workspace, as far as loaded. */
export function useAllDatagrids(
  workspaces: readonly TreeNode[],
): readonly (TreeNode & { readonly workspace: string })[] {
  const searched = workspaces.slice(0, MAX_SEARCHED_WORKSPACES);
  const found = useQueries({ queries: searched.map(({ id }) => datagridsQuery(id, true)) });
  return found.flatMap(({ data }, at) =>
    (data?.nodes ?? []).map((node) => ({ ...node, workspace: searched[at]?.name ?? '' })),
  );
}
