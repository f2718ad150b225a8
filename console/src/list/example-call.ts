import { queryOptions } from '@tanstack/react-query';
import { dataRequest } from '../api/data';
import type { ApiKey } from '../api/types';
import type { Query } from '../query-client';

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
  queryFn: ({ signal }) => firstObjects(signal),
});

async function firstObjects(signal: AbortSignal): Promise<FirstObjects> {
  const query = { limit: MAX_WORKSPACES };
  const { data } = await dataRequest<readonly Named[]>('GET', '/workspaces', { query, signal });
  const found = await firstDatagridIn(data, signal);
  return found ?? { workspace: data[0] ?? null, datagrid: null };
}

async function firstDatagridIn<Workspace extends Pick<Named, 'id'>>(
  workspaces: readonly Workspace[],
  signal: AbortSignal,
): Promise<{ readonly workspace: Workspace; readonly datagrid: Named } | undefined> {
  for (const workspace of workspaces.slice(0, MAX_WORKSPACES)) {
    const path = `/workspaces/${workspace.id}/datagrids`;
    const query = { limit: 1, omitColumns: 'true' };
    const { data } = await dataRequest<readonly Named[]>('GET', path, { query, signal });
    if (data[0]) return { workspace, datagrid: data[0] };
  }
  return undefined;
}

/** What a key is limited to; `null` for no limit. */
export type KeyLimits = Pick<ApiKey, 'scopes' | 'workspaceIds' | 'datagridIds'>;

export const NO_LIMITS: KeyLimits = { scopes: null, workspaceIds: null, datagridIds: null };

/** Finds a datagrid whose rows a key can read; `null` if there is none. */
export const readableDatagridQuery = (limits: KeyLimits): Query<Named | null> => {
  const { scopes, workspaceIds, datagridIds } = limits;
  return queryOptions({
    queryKey: ['list', 'readable-datagrid', JSON.stringify([scopes, workspaceIds, datagridIds])],
    queryFn: ({ signal }) => readableDatagrid(limits, signal),
  });
};

/** Returns the first datagrid whose rows a key can read; `null` if there is none. */
export async function readableDatagrid(
  { scopes, workspaceIds, datagridIds }: KeyLimits,
  signal: AbortSignal,
): Promise<Named | null> {
  if (scopes?.includes('rows:read') === false) return null;
  const [datagridId] = datagridIds ?? [];
  if (datagridId !== undefined) {
    return (await dataRequest<Named>('GET', `/datagrids/${datagridId}`, { signal })).data;
  }
  if (workspaceIds === null) return (await firstObjects(signal)).datagrid;
  const workspaces = workspaceIds.map((id) => ({ id }));
  return (await firstDatagridIn(workspaces, signal))?.datagrid ?? null;
}

/** Returns a call that reads rows of a datagrid, or the user's profile if there is none. */
export function exampleCurl(key: string, datagridId: string | undefined): string {
  const path = datagridId === undefined ? 'me' : `datagrids/${datagridId}/rows?limit=3`;
  const url = `${window.location.origin}/api/v1/public/${path}`;
  return `curl -H "Authorization: Bearer ${key}" "${url}"`;
}
