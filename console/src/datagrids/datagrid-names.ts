import { queryOptions } from '@tanstack/react-query';
import { dataRequest } from '../api/data';
import type { ListedDatagrid } from './datagrid';
import type { Query } from '../query-client';

/** Maximum page size of the API. */
const ALL = 200;

/** Pages of datagrids to read. A webhook or connection can name as many datagrids as they have: 1,000. */
const NAME_PAGES = 5;

export interface DatagridNames {
  /** Names by id. */
  readonly names: ReadonlyMap<string, string>;
  /** True if the workspace has more datagrids than were read. */
  readonly isCut: boolean;
}

/** Names of the datagrids of a workspace that a user can choose. */
export const datagridNamesQuery = (workspaceId: string): Query<DatagridNames> =>
  queryOptions({
    queryKey: ['list', `/workspaces/${workspaceId}/datagrids`, 'names'],
    queryFn: async ({ signal }): Promise<DatagridNames> => {
      const names = new Map<string, string>();
      const path = `/workspaces/${workspaceId}/datagrids`;
      for (let page = 1; page <= NAME_PAGES; page += 1) {
        const options = { query: { page, limit: ALL, omitColumns: true }, signal };
        const { data, meta } = await dataRequest<readonly ListedDatagrid[]>('GET', path, options);
        for (const { id, name } of data) names.set(id, name);
        if (page >= (meta?.totalPages ?? 1)) return { names, isCut: false };
      }
      return { names, isCut: true };
    },
  });
