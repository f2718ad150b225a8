import { Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { TableColumn } from '../../common/data-table';
import { When } from '../../common/when';
import { webhooksText } from '../../text/webhooks-text';
import { datagridNamesQuery } from '../../datagrids/datagrid-names';
import { LogSection } from '../integration/log-section';
import { StatusBadge } from '../status-badge';
import { outcomeOf, readable, type Delivery } from './webhook';
import { useDeliveries, type WebhookRef } from './webhook-calls';

const t = webhooksText.deliveries;

/** Lists the attempts of a webhook, newest first. */
export function Deliveries({ at }: { readonly at: WebhookRef }): ReactNode {
  const query = useDeliveries(at);
  const { data: datagrids } = useQuery(datagridNamesQuery(at.workspaceId));
  return (
    <LogSection
      id="deliveries"
      texts={t}
      query={query}
      columns={columnsOf(datagrids?.names)}
      detailsOf={(delivery) => <DeliveryContent delivery={delivery} />}
    />
  );
}

/** The outcome and the content of an attempt with a test event. */
export function TestedDelivery({ delivery }: { readonly delivery: Delivery }): ReactNode {
  const { error, durationMs } = delivery;
  const { rejected, accepted } = webhooksText.test;
  return (
    <>
      <Group gap="xs" role="status">
        <StatusBadge {...outcomeOf(delivery)} />
        <Text>{error ? rejected(durationMs) : accepted(durationMs)}</Text>
      </Group>
      <DeliveryContent delivery={delivery} />
    </>
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
function DeliveryContent({ delivery }: { readonly delivery: Delivery }): ReactNode {
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
