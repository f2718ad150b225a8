import { queryOptions } from '@tanstack/react-query';
import { isApiError } from '../../../api/api-error';
import { dataRequest } from '../../../api/data';
import { datagridPath } from '../../../datagrids/datagrid-calls';
import { queryClient, type Query } from '../../../query-client';
import type { SavedView } from '../saved-view';

/** The public link of a view, without its URL. */
export interface ViewLink {
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  /** Keys of the columns that it shows. */
  readonly columns: readonly string[];
}

/** A link that was read. */
export interface KnownLink extends ViewLink {
  /** Whether it had expired when it was read. */
  readonly isExpired: boolean;
}

/** A new link with its URL, which is returned only once. */
export interface NewViewLink extends ViewLink {
  readonly url: string;
}

const linkPath = (datagridId: string, { id }: SavedView): string =>
  `${datagridPath(datagridId)}/views/${id}/link`;

/** Reads the link of a view; `null` if it has none. */
export const linkQuery = (datagridId: string, view: SavedView): Query<KnownLink | null> =>
  queryOptions({
    queryKey: ['view-link', datagridId, view.id],
    queryFn: async ({ signal }) => {
      try {
        const { data } = await dataRequest<ViewLink>('GET', linkPath(datagridId, view), { signal });
        const { expiresAt } = data;
        return { ...data, isExpired: expiresAt !== null && Date.parse(expiresAt) <= Date.now() };
      } catch (error) {
        if (isApiError(error, 'not_found')) return null;
        throw error;
      }
    },
    // Another admin may have revoked or replaced it.
    gcTime: 0,
  });

/** Creates a link. An earlier one stops working. @param expiresAt `null` for never. */
export async function createLink(
  datagridId: string,
  view: SavedView,
  expiresAt: string | null,
): Promise<NewViewLink> {
  const body = { expiresAt };
  const { data } = await dataRequest<NewViewLink>('POST', linkPath(datagridId, view), { body });
  return data;
}

export async function revokeLink(datagridId: string, view: SavedView): Promise<void> {
  await dataRequest('DELETE', linkPath(datagridId, view));
  await queryClient.invalidateQueries({ queryKey: linkQuery(datagridId, view).queryKey });
}
