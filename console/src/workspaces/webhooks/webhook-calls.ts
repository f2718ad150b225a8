import { queryOptions, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { dataRequest } from '../../api/data';
import { queryClient, type Query } from '../../query-client';
import { HEALTH_MS, useLog } from '../integration/use-log';
import type { Delivery, Webhook, WebhookSettings, WebhookWithSecret } from './webhook';

/** Maximum page size of the API. An account has fewer webhooks. */
const ALL = 200;

const pathOf = (workspaceId: string): string => `/workspaces/${workspaceId}/webhooks`;

/** Location of a webhook. */
export interface WebhookRef {
  readonly workspaceId: string;
  readonly webhookId: string;
}

const refPath = ({ workspaceId, webhookId }: WebhookRef): string =>
  `${pathOf(workspaceId)}/${webhookId}`;

export const webhooksQuery = (workspaceId: string): Query<readonly Webhook[]> =>
  queryOptions({
    queryKey: ['webhooks', workspaceId],
    queryFn: async ({ signal }) => {
      const options = { query: { limit: ALL }, signal };
      return (await dataRequest<readonly Webhook[]>('GET', pathOf(workspaceId), options)).data;
    },
    refetchInterval: HEALTH_MS,
  });

export const webhookQuery = (ref: WebhookRef): Query<Webhook> =>
  queryOptions({
    queryKey: ['webhooks', ref.workspaceId, ref.webhookId],
    queryFn: async ({ signal }) =>
      (await dataRequest<Webhook>('GET', refPath(ref), { signal })).data,
    refetchInterval: HEALTH_MS,
  });

/** Reads attempts, newest first. */
export const useDeliveries = (ref: WebhookRef): UseInfiniteQueryResult<readonly Delivery[]> =>
  useLog(['webhooks', ref.workspaceId, ref.webhookId, 'deliveries'], `${refPath(ref)}/deliveries`);

/** Reloads the webhooks of a workspace with their attempts. */
export async function reloadWebhooks(workspaceId: string): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['webhooks', workspaceId] });
}

export async function createWebhook(
  workspaceId: string,
  body: WebhookSettings,
  idempotencyKey: string,
): Promise<WebhookWithSecret> {
  const options = { body, idempotencyKey };
  return (await dataRequest<WebhookWithSecret>('POST', pathOf(workspaceId), options)).data;
}

export async function updateWebhook(
  ref: WebhookRef,
  body: Partial<WebhookSettings>,
): Promise<Webhook> {
  return (await dataRequest<Webhook>('PATCH', refPath(ref), { body })).data;
}

export async function deleteWebhook(ref: WebhookRef): Promise<void> {
  await dataRequest('DELETE', refPath(ref));
  queryClient.removeQueries({ queryKey: webhookQuery(ref).queryKey });
  await reloadWebhooks(ref.workspaceId);
}

export async function rotateSecret(
  ref: WebhookRef,
  idempotencyKey: string,
): Promise<WebhookWithSecret> {
  const options = { idempotencyKey };
  return (await dataRequest<WebhookWithSecret>('POST', `${refPath(ref)}/rotate`, options)).data;
}

export async function sendTest(ref: WebhookRef): Promise<Delivery> {
  return (await dataRequest<Delivery>('POST', `${refPath(ref)}/test`)).data;
}

/** @returns the number of datagrids with changes since then. */
export async function replay(
  ref: WebhookRef,
  body: { readonly since: string; readonly datagridId?: string },
): Promise<number> {
  const path = `${refPath(ref)}/replay`;
  return (await dataRequest<{ readonly datagrids: number }>('POST', path, { body })).data.datagrids;
}
