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
import { useAuthorName } from '../changes/use-author-name';
import { readHistory, restoreValue, restoreVersion, turnHistoryOn } from './history-calls';
import {
  changedValues,
  mayRestoreValue,
  mayRestoreVersion,
  type ChangedValue,
  type HistoryEntry,
} from './row-history';

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
  const newest = entries?.[0];
  return (
    <Dialog title={`History of the row with id ${rowId}`} isOpen onClose={onClose}>
      {!datagrid.history && <HistoryOff datagrid={datagrid} />}
      {restore.error && <Problem error={restore.error} title="Not restored" />}
      <Text size="sm" role="status">
        {restored}
      </Text>
      {!entries && !error && <Loading />}
      {entries?.length === 0 && <Text size="sm">No write of this row is stored.</Text>}
      <ul className="plain-list" aria-label="Writes, newest first">
        {entries?.map((entry, at) => (
          <li key={entry.revision} className="change">
            <Entry
              entry={entry}
              changed={changedValues(entry, entries[at + 1], datagrid.columns)}
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
                        done: 'The row is restored.',
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
                              done: `${title} is restored.`,
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
          Show earlier writes
        </Button>
      )}
    </Dialog>
  );
}

function HistoryOff({ datagrid }: { readonly datagrid: Datagrid }): ReactNode {
  const { user } = useSession();
  const on = useMutation({ mutationFn: () => turnHistoryOn(datagrid.id) });
  return (
    <Alert color="yellow" title="History is off" mb="sm">
      <Text size="sm">
        Earlier values of rows are not kept in this datagrid. If history is on, each write keeps the
        values that it replaces, for 90 days by default.
      </Text>
      {mayWriteSchema(user.role) && (
        <Button
          size="xs"
          mt="sm"
          loading={on.isPending}
          onClick={() => {
            on.mutate();
          }}
        >
          Turn history on
        </Button>
      )}
      {on.error && <Problem error={on.error} />}
    </Alert>
  );
}

const OPERATIONS = {
  created: { label: 'Created', color: 'green' },
  updated: { label: 'Updated', color: 'indigo' },
  deleted: { label: 'Deleted', color: 'red' },
} as const;

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
  const { label, color } = OPERATIONS[entry.operation];
  return (
    <>
      <Group gap="xs">
        <Badge variant="light" color={color}>
          {label}
        </Badge>
        <Text size="sm" c="dimmed">
          {author !== undefined && `${author}, `}
          <When iso={entry.at} />
          {isCurrent && ', current'}
        </Text>
        {onRestore && (
          <Button
            size="compact-xs"
            variant="default"
            ms="auto"
            disabled={isPending}
            onClick={onRestore}
          >
            Restore this version
          </Button>
        )}
      </Group>
      {entry.values === null && entry.operation !== 'deleted' && (
        <Text size="sm">The values were not stored.</Text>
      )}
      <dl className="change-cells">
        {changed.map((value) => {
          const restore = onRestoreValue?.(value);
          return (
            <div key={value.key}>
              <dt>{value.title}: </dt>
              <dd>
                {value.before !== undefined && `${value.before || 'empty'} → `}
                {value.after || 'empty'}
              </dd>
              {restore && (
                <Button
                  size="compact-xs"
                  variant="subtle"
                  ms="xs"
                  disabled={isPending}
                  aria-label={`Restore ${value.title} to ${value.after || 'empty'}`}
                  onClick={restore}
                >
                  Restore
                </Button>
              )}
            </div>
          );
        })}
      </dl>
      {entry.removedColumns.length > 0 && (
        <Text size="xs" c="dimmed">
          Values of removed columns cannot be read: {entry.removedColumns.join(', ')}
        </Text>
      )}
    </>
  );
}
