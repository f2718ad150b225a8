import { Group, Pagination, Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { DataTable, type TableColumn } from '../common/data-table';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { text } from '../text/text';
import { MAX_SEARCHED, useListing, type Named } from './listing';

export interface NamedListProps<T extends Named> {
  /** Path in the public API. */
  readonly path: string;
  /** Query parameters other than page and limit. */
  readonly query?: Readonly<Record<string, string>>;
  /** What is listed, for labels. */
  readonly what: keyof typeof text.lists.of;
  /** Shown instead of an empty list. */
  readonly empty: ReactNode;
  /** Columns of the table. The first one names the item. */
  readonly columns: readonly TableColumn<T>[];
}

/** A list with a search and pages, both of which are in the URL. */
export function NamedList<T extends Named>(props: NamedListProps<T>): ReactNode {
  const { path, query, what, empty, columns } = props;
  const t = text.lists.of[what];
  const [params, setParams] = useSearchParams();
  const search = params.get('search') ?? '';
  const page = Math.max(1, Number(params.get('page')) || 1);
  const { data, error, refetch, isFetching } = useListing<T>({ path, query, page, search });
  const show = (next: { search?: string; page?: number }): void => {
    const { search: words = search, page: number = 1 } = next;
    setParams(
      { ...(words === '' ? {} : { search: words }), ...(number > 1 ? { page: `${number}` } : {}) },
      { replace: true },
    );
  };
  if (!data) return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />;
  if (data.total === 0 && search === '') return empty;
  return (
    <Stack aria-busy={isFetching}>
      <TextInput
        type="search"
        label={t.search}
        placeholder={text.lists.searchIn}
        value={search}
        maw="24rem"
        onChange={({ currentTarget }) => {
          show({ search: currentTarget.value });
        }}
      />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <Text size="sm" c="dimmed" role="status">
        {search === '' ? t.found(data.total) : t.matching(data.total, search)}
        {data.isCut && ` ${text.lists.cut(MAX_SEARCHED)}`}
      </Text>
      {data.items.length > 0 && (
        <DataTable label={t.label} columns={columns} items={data.items} idOf={({ id }) => id} />
      )}
      {data.pages > 1 && (
        <Group component="nav" aria-label={t.pages} justify="center">
          <Pagination
            total={data.pages}
            value={page}
            onChange={(next) => {
              show({ page: next });
            }}
            getItemProps={(number) => ({ 'aria-label': text.lists.page(number) })}
            getControlProps={(control) => ({ 'aria-label': text.lists[control] })}
          />
        </Group>
      )}
    </Stack>
  );
}
