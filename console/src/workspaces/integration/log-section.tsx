import { Button, Group, Text, Title } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { DataTable, type TableColumn } from '../../common/data-table';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { text } from '../../text/text';

interface LogSectionProps<T> {
  /** Id of the title. */
  readonly id: string;
  readonly texts: { readonly title: string; readonly none: string; readonly earlier: string };
  readonly query: UseInfiniteQueryResult<readonly T[]>;
  readonly columns: readonly TableColumn<T>[];
  readonly noteOf?: (entry: T) => ReactNode;
  readonly detailsOf?: (entry: T) => ReactNode;
}

/** What a webhook or a connection has done, newest first. */
export function LogSection<T extends { readonly id: string }>({
  id,
  texts,
  query,
  columns,
  ...rows
}: LogSectionProps<T>): ReactNode {
  const { data: entries, error, refetch, isFetching, ...more } = query;
  const { hasNextPage, fetchNextPage, isFetchingNextPage } = more;
  return (
    <section aria-labelledby={id}>
      <Group justify="space-between" mb="sm">
        <Title order={2} size="h4" id={id}>
          {texts.title}
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
      {!entries && !error && <Loading />}
      {entries?.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      )}
      {entries && entries.length > 0 && (
        <DataTable
          label={texts.title}
          columns={columns}
          items={entries}
          idOf={(entry) => entry.id}
          {...rows}
        />
      )}
      {hasNextPage && (
        <Button
          mt="md"
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {texts.earlier}
        </Button>
      )}
    </section>
  );
}
