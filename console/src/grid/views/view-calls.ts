import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../api/api-error';
import { dataRequest } from '../../api/data';
import { datagridPath } from '../../datagrids/datagrid-calls';
import type { RowQuery } from '../../datagrids/row-query';
import { queryClient, type Query } from '../../query-client';
import { gridText } from '../../text/grid-text';
import { objectOf } from '../cells/values/typed-value';
import type { DateBucket } from '../query/groups/period';
import type { Layout } from '../table/columns/layout';
import type { SavedView } from './saved-view';

/** Maximum number of views of a datagrid. */
const MAX_VIEWS = 100;

const viewsPath = (datagridId: string): string => `${datagridPath(datagridId)}/views`;

export const viewsQuery = (datagridId: string): Query<readonly SavedView[]> =>
  queryOptions({
    queryKey: ['views', datagridId],
    queryFn: async ({ signal }) =>
      (
        await dataRequest<readonly SavedView[]>('GET', viewsPath(datagridId), {
          query: { limit: MAX_VIEWS },
          signal,
        })
      ).data,
  });

/** What a view saves. */
export interface ViewContent {
  readonly rowQuery: RowQuery;
  readonly layout: Layout;
  readonly groupBy: string | null;
  readonly groupBucket: DateBucket | null;
  readonly colorBy: string | null;
}

/** Returns the body of a view as text, in which numbers keep the digits that were typed. */
function bodyOf(content: ViewContent, name?: string): string {
  const { rowQuery, layout, groupBy, groupBucket, colorBy } = content;
  const { filter, sort, q } = rowQuery;
  return objectOf(
    new Map([
      ...(name === undefined ? [] : [['name', JSON.stringify(name)] as const]),
      ['filter', filter ?? 'null'],
      ['sort', JSON.stringify(sort ?? null)],
      ['q', JSON.stringify(q ?? null)],
      ['columns', JSON.stringify(layout)],
      ['groupBy', JSON.stringify(groupBy)],
      ['groupBucket', JSON.stringify(groupBucket)],
      ['colorBy', JSON.stringify(colorBy)],
    ]),
  );
}

export async function createView(
  datagridId: string,
  name: string,
  content: ViewContent,
  idempotencyKey: string,
): Promise<SavedView> {
  const { data } = await dataRequest<SavedView>('POST', viewsPath(datagridId), {
    rawBody: bodyOf(content, name),
    contentType: 'application/json',
    idempotencyKey,
  });
  await reloadViews(datagridId);
  return data;
}

/** Saves other content of a view. @throws ApiError if somebody else has changed it. */
export async function saveView(
  datagridId: string,
  view: SavedView,
  content: ViewContent,
): Promise<void> {
  await change(datagridId, view, bodyOf(content));
}

/** @throws ApiError if somebody else has changed the view. */
export async function renameView(datagridId: string, view: SavedView, name: string): Promise<void> {
  await change(datagridId, view, JSON.stringify({ name }));
}

export async function deleteView(datagridId: string, { id }: SavedView): Promise<void> {
  await dataRequest('DELETE', `${viewsPath(datagridId)}/${id}`);
  await reloadViews(datagridId);
}

/** Changes the version of the view that the user saw. */
async function change(datagridId: string, view: SavedView, rawBody: string): Promise<void> {
  const path = `${viewsPath(datagridId)}/${view.id}`;
  const { data, etag } = await dataRequest<SavedView>('GET', path);
  if (data.updatedAt !== view.updatedAt) {
    await reloadViews(datagridId);
    throw new ApiError(412, 'precondition_failed', gridText.views.conflict);
  }
  await dataRequest<SavedView>('PATCH', path, {
    rawBody,
    contentType: 'application/json',
    ifMatch: etag,
  });
  await reloadViews(datagridId);
}

async function reloadViews(datagridId: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['views', datagridId] });
}
