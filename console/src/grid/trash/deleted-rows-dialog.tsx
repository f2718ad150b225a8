import { Button, Group, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Dialog } from '../../common/dialog';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import type { Datagrid } from '../../datagrids/datagrid';
import { mayWriteRows } from '../../session/role';
import { useSession } from '../../session/session-context';
import { gridText } from '../../text/grid-text';
import type { KnownRow } from '../cells/known-row';
import { useAuthorName } from '../data/changes/use-author-name';
import { DeletedRowTable } from './deleted-row-table';
import { readDeletedRows, restoreRows, type DeletedRow } from './trash-calls';

export interface DeletedRowsDialogProps {
  readonly datagrid: Datagrid;
  readonly onRestored: (rows: readonly KnownRow[]) => void;
  readonly onClose: () => void;
}

/** Lists the deleted rows of a datagrid, most recently deleted first, and restores them. */
export function DeletedRowsDialog(props: DeletedRowsDialogProps): ReactNode {
  const { datagrid, onRestored, onClose } = props;
  const { user } = useSession();
  const mayRestore = mayWriteRows(user.role);
  const [checked, setChecked] = useState<ReadonlySet<number>>(new Set());
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    {
      queryKey: ['deleted-rows', datagrid.id],
      queryFn: ({ pageParam, signal }) => readDeletedRows(datagrid.id, pageParam, signal),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: ({ meta }) => meta?.nextCursor ?? undefined,
      // An old list would change under the pointer of the user.
      gcTime: 0,
    },
  );
  const nameOf = useAuthorName(true);
  const rows = data?.pages.flatMap((page) => page.data) ?? [];
  const chosen = rows.filter(({ id }) => checked.has(id));
  const restore = useMutation({
    mutationFn: (given: readonly DeletedRow[]) => restoreRows(datagrid.id, given),
    onSuccess: (restored) => {
      setChecked(new Set());
      onRestored(
        restored.map(({ id, values, revision }) => ({ id, values, revision, schemaVersion: 0 })),
      );
    },
    onSettled: () => refetch(),
  });
  return (
    <Dialog title={gridText.rowTrash.title} isOpen isWide onClose={onClose}>
      <Text size="sm" c="dimmed" mb="sm">
        {gridText.rowTrash.hint}
      </Text>
      {restore.error && <Problem error={restore.error} title={gridText.rowTrash.notRestored} />}
      <Text size="sm" role="status">
        {restore.data && gridText.rowTrash.restored(restore.data.length)}
      </Text>
      {!data && !error && <Loading />}
      {data && rows.length === 0 && <Text size="sm">{gridText.rowTrash.none}</Text>}
      {rows.length > 0 && (
        <DeletedRowTable
          columns={datagrid.columns}
          rows={rows}
          authorOf={({ userId, keyId }) => nameOf(userId === null ? null : { userId, keyId }) ?? ''}
          checked={mayRestore ? checked : undefined}
          onCheck={setChecked}
        />
      )}
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      <Group mt="md">
        {hasNextPage && (
          <Button
            variant="default"
            loading={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {gridText.rowTrash.more}
          </Button>
        )}
        {mayRestore && rows.length > 0 && (
          <Button
            ms="auto"
            disabled={chosen.length === 0}
            loading={restore.isPending}
            onClick={() => {
              restore.mutate(chosen);
            }}
          >
            {gridText.rowTrash.restore(chosen.length)}
          </Button>
        )}
      </Group>
    </Dialog>
  );
}
