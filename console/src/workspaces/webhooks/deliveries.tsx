import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { When } from '../../common/when';
import { datagridNamesQuery } from '../datagrid-names';
import { StatusBadge } from '../status-badge';
import { outcomeOf, readable, type Delivery } from './webhook';
import { useDeliveries, type WebhookRef } from './webhook-calls';

/** Lists the attempts of a webhook, newest first. */
export function Deliveries({ at }: { readonly at: WebhookRef }): ReactNode {
  const { data: attempts, error, refetch, isFetching, ...more } = useDeliveries(at);
  const { hasNextPage, fetchNextPage, isFetchingNextPage } = more;
  const { data: datagrids } = useQuery(datagridNamesQuery(at.workspaceId));
  return (
    <section aria-labelledby="deliveries">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="deliveries">
          Deliveries
        </Title>
        <Button
          variant="default"
          size="xs"
          loading={isFetching && !isFetchingNextPage}
          onClick={() => void refetch()}
        >
          Refresh
        </Button>
      </Group>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!attempts && !error && <Loading />}
      {attempts?.length === 0 && (
        <Text>
          Nothing has been sent yet. Send a test, or change a row of a datagrid that the webhook
          watches.
        </Text>
      )}
      <ul className="plain-list deliveries">
        {attempts?.map((attempt) => (
          <li key={attempt.id}>
            <details className="delivery">
              <summary>
                <DeliverySummary
                  delivery={attempt}
                  datagrid={
                    attempt.datagridId ? datagrids?.names.get(attempt.datagridId) : undefined
                  }
                />
              </summary>
              <DeliveryContent delivery={attempt} />
            </details>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Button
          mt="md"
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Show earlier deliveries
        </Button>
      )}
    </section>
  );
}

interface DeliverySummaryProps {
  readonly delivery: Delivery;
  /** Name of the datagrid. */
  readonly datagrid?: string | undefined;
}

/** One line with the outcome of an attempt. */
function DeliverySummary({ delivery, datagrid }: DeliverySummaryProps): ReactNode {
  const { type, attempt, at, durationMs } = delivery;
  return (
    <span className="delivery-summary">
      <StatusBadge {...outcomeOf(delivery)} />
      <span className="delivery-type">
        {type}
        {datagrid !== undefined && `, ${datagrid}`}
        {attempt > 1 && `, attempt ${attempt}`}
      </span>
      <Text span size="sm" c="dimmed">
        {durationMs.toLocaleString()} ms, <When iso={at} />
      </Text>
    </span>
  );
}

/** The request and the response of an attempt. */
export function DeliveryContent({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const { error, messageId, revision, request, response } = delivery;
  return (
    <Stack gap="sm" className="delivery-content">
      {error && <Text size="sm">{error}</Text>}
      <Text size="sm" c="dimmed" className="delivery-id">
        {messageId}
        {revision !== null && `, revision ${revision.toLocaleString()}`}
      </Text>
      <Body label="Request" text={readable(request)} />
      <Body label="Response" text={readable(response)} />
    </Stack>
  );
}

function Body({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      {text === '' ? (
        <Text size="sm" c="dimmed">
          Empty
        </Text>
      ) : (
        <Code block className="delivery-body" tabIndex={0} role="group" aria-label={label}>
          {text}
        </Code>
      )}
    </div>
  );
}
