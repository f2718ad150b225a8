import { Alert, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import type { Role } from '../api/types';
import { Loading } from '../common/loading';
import { Problem } from '../common/problem';
import { formatDateAndTime } from '../common/time';
import { mayReadAllRequests } from '../session/role';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import { text } from '../text/text';
import { EmptyLog, NoMatch } from './empty-log';
import { isFiltered, readFilter, withFilter } from './request-filter';
import { RequestFilters } from './request-filters';
import { RequestTable } from './request-table';
import { type RequestLogMeta, useRequests } from './requests-query';

/** The requests that were sent with API keys. */
export default function RequestsPage(): ReactNode {
  const [search, setSearch] = useSearchParams();
  const { role } = useSession().user;
  const filter = readFilter(search);
  const { data, error, refetch, ...next } = useRequests(filter);
  const requests = data?.pages.flatMap((page) => page.requests);
  const meta = data?.pages[0]?.meta;
  const clear = (): void => {
    setSearch({});
  };
  return (
    <Page
      title={text.requests.title}
      intro={meta && introOf(meta, role)}
      actions={
        <Button variant="default" onClick={() => void refetch()}>
          {text.requests.refresh}
        </Button>
      }
    >
      {meta && <Notes meta={meta} />}
      {meta?.retentionDays !== 0 && (
        <RequestFilters
          filter={filter}
          requests={requests ?? []}
          onChange={(name, value) => {
            setSearch(withFilter(filter, name, value));
          }}
        />
      )}
      {!requests && !error && <Loading />}
      {requests && requests.length > 0 && <RequestTable requests={requests} />}
      {requests?.length === 0 && isFiltered(filter) && <NoMatch onClear={clear} />}
      {requests?.length === 0 && !isFiltered(filter) && meta?.retentionDays !== 0 && <EmptyLog />}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {next.hasNextPage && (
        <Group mt="md">
          <Button
            variant="default"
            loading={next.isFetchingNextPage}
            onClick={() => void next.fetchNextPage()}
          >
            {text.requests.earlier}
          </Button>
        </Group>
      )}
    </Page>
  );
}

/** Says which requests the log has. Returns undefined if it is off. */
function introOf({ retentionDays, maxEntries }: RequestLogMeta, role: Role): string | undefined {
  if (retentionDays === 0) return undefined;
  const intro = mayReadAllRequests(role) ? text.requests.introAll : text.requests.introOwn;
  return intro(retentionDays, maxEntries.toLocaleString());
}

/** Says that the log is off, or how many requests it has left out. */
function Notes({ meta }: { readonly meta: RequestLogMeta }): ReactNode {
  const { retentionDays, leftOut } = meta;
  if (retentionDays === 0) {
    return (
      <Alert color="yellow" title={text.requests.offTitle}>
        {text.requests.off}
      </Alert>
    );
  }
  if (leftOut.lastHour === null) return null;
  return (
    <Alert color="yellow" mb="md" title={text.requests.leftOutTitle(leftOut.requests)}>
      {text.requests.leftOut(formatDateAndTime(leftOut.lastHour))}
    </Alert>
  );
}
