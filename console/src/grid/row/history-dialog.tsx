import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { When } from '../../common/when';
import type { Datagrid } from '../../datagrids/datagrid';
import { mayWriteRows, mayWriteSchema } from '../../session/role';
import { useSession } from '../../session/session-context';
import { gridText } from '../../text/grid-text';
import { useLinkTitles } from '../cells/links/link-context';
import { useAuthorName } from '../data/changes/use-author-name';
import { readHistory, restoreValue, restoreVersion, turnHistoryOn } from './history-calls';
import {
  changedValues,
  mayRestoreValue,
  mayRestoreVersion,
  type ChangedValue,
  type HistoryEntry,
} from './row-history';

const t = gridText.history;

export interface HistoryDialogProps {
  readonly datagrid: Datagrid;
  readonly rowId: number;
  /** Called after values or the row were restored. */
  readonly onRestored: () => void;
  readonly onClose: () => void;
}

/** Shows the writes of a row, newest first, and restores earlier values. */
export function HistoryDialog(props: HistoryDialogProps): ReactNode {
  const { datagrid, rowId, onRestored, onClose } = props;
  const { user } = useSession();
  const [restored, setRestored] = useState('');
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ['row-history', datagrid.id, rowId],
      queryFn: ({ pageParam, signal }) => readHistory(datagrid.id, rowId, pageParam, signal),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ meta }) => meta?.nextCursor ?? undefined,
      // An old list would change under the pointer of the user.
      gcTime: 0,
    },
  );
  const nameOf = useAuthorName(true);
  const restore = useMutation({
    mutationFn: async ({ run }: { readonly run: () => Promise<void>; readonly done: string }) => {
      setRestored('');
      await run();
    },
    onSuccess: (_, { done }) => {
      setRestored(done);
      onRestored();
    },
    onSettled: () => refetch(),
  });
  const entries = data?.pages.flatMap((page) => page.data);
  const titles = useLinkTitles();
  const newest = entries?.[0];
  return (
    <Dialog title={t.title(rowId)} isOpen onClose={onClose}>
      {!datagrid.history && <HistoryOff datagrid={datagrid} />}
      {restore.error && <Problem error={restore.error} title={t.notRestored} />}
      <Text size="sm" role="status">
        {restored}
      </Text>
      {!entries && !error && <Loading />}
      {entries?.length === 0 && <Text size="sm">{t.none}</Text>}
      <ul className="plain-list" aria-label={t.label}>
        {entries?.map((entry, at) => (
          <li key={entry.revision} className="change">
            <Entry
              entry={entry}
              changed={changedValues(entry, entries[at + 1], datagrid.columns, titles)}
              author={
                entry.userId === null
                  ? undefined
                  : nameOf({ userId: entry.userId, keyId: entry.keyId })
              }
              isCurrent={at === 0}
              onRestore={
                newest && mayWriteRows(user.role) && mayRestoreVersion(entries, entry)
                  ? () => {
                      const { revision } = entry;
                      restore.mutate({
                        run: () => restoreVersion(datagrid.id, rowId, newest, revision),
                        done: t.restored,
                      });
                    }
                  : undefined
              }
              onRestoreValue={
                newest && mayWriteRows(user.role)
                  ? (changed) =>
                      mayRestoreValue(entries, changed)
                        ? () => {
                            const { key, title, value } = changed;
                            restore.mutate({
                              run: () => restoreValue(datagrid.id, rowId, newest, key, value),
                              done: t.valueRestored(title),
                            });
                          }
                        : undefined
                  : undefined
              }
              isPending={restore.isPending}
            />
          </li>
        ))}
      </ul>
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {hasNextPage && (
        <Button
          variant="default"
          mt="md"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t.earlier}
        </Button>
      )}
    </Dialog>
  );
}

function HistoryOff({ datagrid }: { readonly datagrid: Datagrid }): ReactNode {
  const { user } = useSession();
  const on = useMutation({ mutationFn: () => turnHistoryOn(datagrid.id) });
  return (
    <Alert color="yellow" title={t.off} mb="sm">
      <Text size="sm">{t.offHint}</Text>
      {mayWriteSchema(user.role) && (
        <Button
          size="xs"
          mt="sm"
          loading={on.isPending}
          onClick={() => {
            on.mutate();
          }}
        >
          {t.turnOn}
        </Button>
      )}
      {on.error && <Problem error={on.error} />}
    </Alert>
  );
}

const COLORS = { created: 'green', updated: 'indigo', deleted: 'red' } as const;

interface EntryProps {
  readonly entry: HistoryEntry;
  readonly changed: readonly ChangedValue[];
  /** Undefined if the author is not known. */
  readonly author: string | undefined;
  readonly isCurrent: boolean;
  readonly isPending: boolean;
  readonly onRestore: (() => void) | undefined;
  /** Returns the action that restores a value, if it differs from the current one. */
  readonly onRestoreValue: ((value: ChangedValue) => (() => void) | undefined) | undefined;
}

function Entry(props: EntryProps): ReactNode {
  const { entry, changed, author, isCurrent, isPending, onRestore, onRestoreValue } = props;
  const { empty, change } = gridText.values;
  return (
    <>
      <Group gap="xs">
        <Badge variant="light" color={COLORS[entry.operation]}>
          {t.operations[entry.operation]}
        </Badge>
        <Text size="sm" c="dimmed">
          {author !== undefined && gridText.authors.before(author)}
          <When iso={entry.at} />
          {isCurrent && t.current}
        </Text>
        {onRestore && (
          <Button
            size="compact-xs"
            variant="default"
            ms="auto"
            disabled={isPending}
            onClick={onRestore}
          >
            {t.restoreVersion}
          </Button>
        )}
      </Group>
      {entry.values === null && entry.operation !== 'deleted' && (
        <Text size="sm">{t.notStored}</Text>
      )}
      <dl className="change-cells">
        {changed.map((value) => {
          const restore = onRestoreValue?.(value);
          return (
            <div key={value.key}>
              <dt>{value.title}: </dt>
              <dd title={value.exact}>
                {value.before === undefined
                  ? value.after || empty
                  : change(value.before || empty, value.after || empty)}
              </dd>
              {restore && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  ms="xs"
                  disabled={isPending}
                  aria-label={t.restoreValue(value.title, value.after || empty)}
                  onClick={restore}
                >
                  {t.restore}
                </Button>
              )}
            </div>
          );
        })}
      </dl>
      {entry.removedColumns.length > 0 && (
        <Text size="xs" c="dimmed">
          {t.removedColumns(entry.removedColumns)}
        </Text>
      )}
    </>
  );
}
