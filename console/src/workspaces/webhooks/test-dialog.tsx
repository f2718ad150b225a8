import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { text } from '../../text/text';
import { webhooksText } from '../../text/webhooks-text';
import { DeliveryContent } from './deliveries';
import type { WebhookTaskProps } from './rotate-secret-dialog';
import { StatusBadge } from '../status-badge';
import { nameOf, outcomeOf } from './webhook';
import { reloadWebhooks, sendTest } from './webhook-calls';

/** Sends a test event and shows the attempt. */
export function TestDialog({ at, webhook, onClose }: WebhookTaskProps): ReactNode {
  const t = webhooksText.test;
  const { workspaceId, webhookId } = at;
  const { mutate, isPending, error, data } = useMutation({
    mutationFn: () => sendTest({ workspaceId, webhookId }),
    onSettled: () => reloadWebhooks(workspaceId),
  });
  useEffect(() => {
    mutate();
  }, [mutate]);
  return (
    <Dialog title={t.title(nameOf(webhook))} isOpen onClose={onClose}>
      <Stack>
        {!data && !error && <Loading />}
        {error && <Problem error={error} title={t.failed} />}
        {data && (
          <>
            <Group gap="xs" role="status">
              <StatusBadge {...outcomeOf(data)} />
              <Text>{data.error ? t.rejected(data.durationMs) : t.accepted(data.durationMs)}</Text>
            </Group>
            <DeliveryContent delivery={data} />
          </>
        )}
        <Group justify="flex-end">
          <Button
            variant="default"
            loading={isPending}
            onClick={() => {
              mutate();
            }}
          >
            {t.again}
          </Button>
          <Button onClick={onClose}>{text.actions.close}</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
