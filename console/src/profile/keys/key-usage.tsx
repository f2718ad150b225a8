import { Table, Text } from '@mantine/core';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { request } from '../../api/client';
import type { ApiKey, UsageDay } from '../../api/types';
import { profileText } from '../../text/profile-text';
import { UsagePlot } from './usage-plot';

const t = profileText.usage;

const USAGE_DAYS = 14;

const NUMBER = new Intl.NumberFormat();
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Shows the accepted and rejected requests of the last days as a plot, a sentence and a table. */
export function KeyUsage({ apiKey }: { readonly apiKey: ApiKey }): ReactNode {
  const { data: days, error } = useKeyUsage(apiKey.id);
  if (!days) {
    return (
      <Text size="sm" c="dimmed">
        {error ? t.failed : t.loading}
      </Text>
    );
  }
  return (
    <figure className="usage">
      <UsagePlot days={days} label={t.plot(apiKey.name)} />
      <Text component="figcaption" size="xs" c="dimmed">
        {summaryOf(days)}
      </Text>
      <details>
        <summary>{t.byDay}</summary>
        <UsageTable days={days} name={apiKey.name} />
      </details>
    </figure>
  );
}

/** Requests with one key by day, oldest first. */
function useKeyUsage(keyId: string): UseQueryResult<readonly UsageDay[]> {
  return useQuery({
    queryKey: ['key-usage', keyId],
    queryFn: async ({ signal }) => {
      const options = { query: { days: USAGE_DAYS }, signal };
      const path = `/keys/${keyId}/usage`;
      return (await request<{ days: readonly UsageDay[] }>('GET', path, options)).data.days;
    },
  });
}

function summaryOf(days: readonly UsageDay[]): string {
  const sum = (member: 'requests' | 'rejections'): number =>
    days.reduce((total, day) => total + day[member], 0);
  const [requests, rejected] = [sum('requests'), sum('rejections')];
  return t.summary(NUMBER.format(requests), USAGE_DAYS, NUMBER.format(rejected));
}

interface UsageTableProps {
  readonly days: readonly UsageDay[];
  readonly name: string;
}

function UsageTable({ days, name }: UsageTableProps): ReactNode {
  return (
    <Table fz="xs" verticalSpacing={2} aria-label={t.table(name)}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t.day}</Table.Th>
          <Table.Th>{t.requests}</Table.Th>
          <Table.Th>{t.rejected}</Table.Th>
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
