import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DataTable, type TableColumn } from '../../common/data-table';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { When } from '../../common/when';
import { text } from '../../text/text';
import { webhooksText } from '../../text/webhooks-text';
import { datagridNamesQuery } from '../../datagrids/datagrid-names';
import { StatusBadge } from '../status-badge';
import { outcomeOf, readable, type Delivery } from './webhook';
import { useDeliveries, type WebhookRef } from './webhook-calls';

const t = webhooksText.deliveries;

/** Lists the attempts of a webhook, newest first. */
export function Deliveries({ at }: { readonly at: WebhookRef }): ReactNode {
  const { data: attempts, error, refetch, isFetching, ...more } = useDeliveries(at);
  const { hasNextPage, fetchNextPage, isFetchingNextPage } = more;
  const { data: datagrids } = useQuery(datagridNamesQuery(at.workspaceId));
  return (
    <section aria-labelledby="deliveries">
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id="deliveries">
          {t.title}
        </Title>
        <Button
          variant="default"
          size="xs"
          loading={isFetching && !isFetchingNextPage}
          onClick={() => void refetch()}
        >
          {text.actions.refresh}
        </Button>
      </Group>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {!attempts && !error && <Loading />}
      {attempts?.length === 0 && (
        <Text size="sm" c="dimmed">
          {t.none}
        </Text>
      )}
      {attempts && attempts.length > 0 && (
        <DataTable
          label={t.title}
          columns={columnsOf(datagrids?.names)}
          items={attempts}
          idOf={({ id }) => id}
          detailsOf={(delivery) => <DeliveryContent delivery={delivery} />}
        />
      )}
      {hasNextPage && (
        <Button
          mt="md"
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t.earlier}
        </Button>
      )}
    </section>
  );
}

/** @param names Names of datagrids by id. */
function columnsOf(names: ReadonlyMap<string, string> | undefined): TableColumn<Delivery>[] {
  const eventOf = ({ type, attempt, datagridId }: Delivery): string =>
    [type, datagridId !== null && names?.get(datagridId), attempt > 1 && t.attempt(attempt)]
      .filter(Boolean)
      .join(', ');
  return [
    {
      title: t.columns.status,
      cell: (delivery) => <StatusBadge {...outcomeOf(delivery)} />,
    },
    { title: t.columns.event, width: '100%', line: 'plain', cell: eventOf, textOf: eventOf },
    {
      title: t.columns.duration,
      isNumber: true,
      isWide: true,
      cell: ({ durationMs }) => t.duration(durationMs),
    },
    { title: t.columns.time, isTime: true, cell: ({ at }) => <When iso={at} /> },
  ];
}

/** The request and the response of an attempt. */
export function DeliveryContent({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const { error, messageId, revision, request, response } = delivery;
  return (
    <Stack gap="sm" className="delivery-content">
      {error && <Text size="sm">{error}</Text>}
      <Text size="sm" c="dimmed" className="delivery-id">
        {messageId}
        {revision !== null && `, ${t.revision(revision)}`}
      </Text>
      <Body label={t.request} content={readable(request)} />
      <Body label={t.response} content={readable(response)} />
    </Stack>
  );
}

function Body({ label, content }: { readonly label: string; readonly content: string }): ReactNode {
  return (
    <div>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      {content === '' ? (
        <Text size="sm" c="dimmed">
          {t.empty}
        </Text>
      ) : (
        <Code block className="delivery-body" tabIndex={0} role="group" aria-label={label}>
          {content}
        </Code>
      )}
    </div>
  );
}
