import { queryOptions } from '@tanstack/react-query';
import { dataRequest } from '../../../api/data';
import { queryClient, type Query } from '../../../query-client';
import type { ConnectionRef } from '../connection-calls';
import type { ImportBody, PreviewBody } from './import-draft';
import { isChanging, type Preview, type ScheduledImport } from './scheduled-import';

/** Interval at which a visible page reads the imports again. */
const HEALTH_MS = 10_000;
/** Interval at which it reads them while one of them runs. */
const CHANGING_MS = 1_000;
/** Maximum page size of the API. */
const ALL = 200;
/** A database has some seconds to respond, and the service may have to wait for its turn. */
const PREVIEW_TIMEOUT_MS = 60_000;

const pathOf = ({ workspaceId, connectionId }: ConnectionRef): string =>
  `/workspaces/${workspaceId}/connections/${connectionId}/imports`;

const keyOf = ({ workspaceId, connectionId }: ConnectionRef): string[] => [
  'connections',
  workspaceId,
  connectionId,
  'imports',
];

/** The scheduled imports of a connection. */
export const importsQuery = (ref: ConnectionRef): Query<readonly ScheduledImport[]> =>
  queryOptions({
    queryKey: keyOf(ref),
    queryFn: async ({ signal }) => {
      const options = { query: { limit: ALL }, signal };
      return (await dataRequest<readonly ScheduledImport[]>('GET', pathOf(ref), options)).data;
    },
    refetchInterval: ({ state: { data } }) => (data?.some(isChanging) ? CHANGING_MS : HEALTH_MS),
  });

export async function reloadImports(ref: ConnectionRef): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: keyOf(ref) });
}

export async function previewImport(ref: ConnectionRef, body: PreviewBody): Promise<Preview> {
  const options = { body, timeoutMs: PREVIEW_TIMEOUT_MS };
  return (await dataRequest<Preview>('POST', `${pathOf(ref)}/preview`, options)).data;
}

export async function createImport(
  ref: ConnectionRef,
  body: ImportBody,
  idempotencyKey: string,
): Promise<void> {
  await dataRequest('POST', pathOf(ref), { body, idempotencyKey });
}

export async function updateImport(
  ref: ConnectionRef,
  id: string,
  body: Partial<ImportBody> | { readonly enabled: boolean },
): Promise<void> {
  await dataRequest('PATCH', `${pathOf(ref)}/${id}`, { body });
}

export async function runImport(ref: ConnectionRef, id: string): Promise<void> {
  await dataRequest('POST', `${pathOf(ref)}/${id}/run`);
}

export async function deleteImport(ref: ConnectionRef, id: string): Promise<void> {
  await dataRequest('DELETE', `${pathOf(ref)}/${id}`);
}
