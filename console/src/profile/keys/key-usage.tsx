import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiKey, UsageDay } from '../../api/types';
import { USAGE_DAYS, useKeyUsage } from '../../session/keys-query';
import { UsagePlot } from './usage-plot';

const NUMBER = new Intl.NumberFormat();
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Shows the accepted and rejected requests of the last days as a plot, a sentence and a table. */
export function KeyUsage({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  const { data: days, error } = useKeyUsage(apiKey.id);
  if (!days) {
    return (
      <Text size="sm" c="dimmed">
        {error ? 'The usage could not be loaded.' : 'Loading the usage …'}
      </Text>
    );
  }
  return (
    <figure className="usage">
      <UsagePlot days={days} label={`Requests with ${apiKey.name}`} />
      <Text component="figcaption" size="xs" c="dimmed">
        {summaryOf(days)}
      </Text>
      <details>
        <summary>Day by day</summary>
        <UsageTable days={days} name={apiKey.name} />
      </details>
    </figure>
  );
}

function summaryOf(days: readonly UsageDay[]): string {
  const sum = (member: 'requests' | 'rejections'): number =>
    days.reduce((total, day) => total + day[member], 0);
  const requests = NUMBER.format(sum('requests'));
  return `${requests} requests in ${USAGE_DAYS} days, ${NUMBER.format(sum('rejections'))} rejected`;
}

interface UsageTableProps {
  readonly days: readonly UsageDay[];
  readonly name: string;
}

function UsageTable({ days, name }: UsageTableProps): ReactNode {
  return (
    <Table fz="xs" verticalSpacing={2} aria-label={`Requests with ${name}, by day`}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Day (UTC)</Table.Th>
          <Table.Th>Requests</Table.Th>
          <Table.Th>Rejected</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {days.map(({ day, requests, rejections }) => (
          <Table.Tr key={day}>
            <Table.Td>{DAY.format(new Date(day))}</Table.Td>
            <Table.Td>{NUMBER.format(requests)}</Table.Td>
            <Table.Td>{NUMBER.format(rejections)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
