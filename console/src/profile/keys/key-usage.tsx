import { Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiKey, UsageDay } from '../../api/types';
import { USAGE_DAYS, useKeyUsage } from './keys-query';
import { UsagePlot } from './usage-plot';

const NUMBER = new Intl.NumberFormat();
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Calls and refusals of the last days, as a plot, a sentence and a table. */
export function KeyUsage({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  const { data: days, error } = useKeyUsage(apiKey.id);
  if (!days) {
    return (
      <Text size="sm" c="dimmed">
        {error ? 'Its use could not be read.' : 'Reading its use …'}
      </Text>
    );
  }
  return (
    <figure className="usage">
      <UsagePlot days={days} label={`Calls with ${apiKey.name}`} />
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
  const sum = (member: 'calls' | 'refusals'): number =>
    days.reduce((total, day) => total + day[member], 0);
  const calls = NUMBER.format(sum('calls'));
  return `${calls} calls in ${USAGE_DAYS} days, ${NUMBER.format(sum('refusals'))} refused`;
}

interface UsageTableProps {
  readonly days: readonly UsageDay[];
  readonly name: string;
}

function UsageTable({ days, name }: UsageTableProps): ReactNode {
  return (
    <Table fz="xs" verticalSpacing={2} aria-label={`Calls with ${name}, day by day`}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Day (UTC)</Table.Th>
          <Table.Th>Calls</Table.Th>
          <Table.Th>Refused</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {days.map(({ day, calls, refusals }) => (
          <Table.Tr key={day}>
            <Table.Td>{DAY.format(new Date(day))}</Table.Td>
            <Table.Td>{NUMBER.format(calls)}</Table.Td>
            <Table.Td>{NUMBER.format(refusals)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
