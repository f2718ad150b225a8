import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { dataRequest } from '../api/data';
import { Confirm } from '../common/confirm';
import type { TableColumn } from '../common/data-table';
import { EmptyState } from '../common/empty-state';
import { Problem } from '../common/problem';
import { quoted } from '../common/quoted';
import { When } from '../common/when';
import { ItemName } from '../list/item-name';
import { reloadLists } from '../list/listing';
import { NamedList } from '../list/named-list';
import { mayWriteSchema } from '../session/role';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';

/** An item of the trash, as in the public API. */
interface TrashItem {
  readonly kind: 'workspace' | 'datagrid';
  readonly id: string;
  readonly name: string;
  readonly deletedAt: string;
  readonly expiresAt: string;
}

/** Deleted objects that can be restored. */
export function TrashPage(): ReactNode {
  const mayWrite = mayWriteSchema(useSession().user.role);
  const [purging, setPurging] = useState<TrashItem>();
  const restore = useMutation({
    mutationFn: async (item: TrashItem) => {
      await dataRequest('POST', `/trash/${item.id}/restore`);
      await reloadLists();
    },
  });
  const columns: readonly TableColumn<TrashItem>[] = [
    { title: 'Name', cell: ({ name }) => <ItemName name={name} /> },
    {
      title: 'Kind',
      isWide: true,
      cell: ({ kind }) => (kind === 'workspace' ? 'Workspace with its datagrids' : 'Datagrid'),
    },
    { title: 'Deleted', isWide: true, cell: ({ deletedAt }) => <When iso={deletedAt} /> },
    {
      title: 'Permanently deleted',
      isWide: true,
      cell: ({ expiresAt }) => <When iso={expiresAt} />,
    },
    {
      title: 'Actions',
      isActions: true,
      cell: (item) =>
        mayWrite && (
          <Group gap={2} justify="flex-end">
            <Button
              variant="subtle"
              size="compact-xs"
              loading={restore.isPending && restore.variables.id === item.id}
              aria-label={`Restore ${item.name}`}
              onClick={() => {
                restore.mutate(item);
              }}
            >
              Restore
            </Button>
            <Button
              variant="subtle"
              color="red"
              size="compact-xs"
              aria-label={`Delete permanently: ${item.name}`}
              onClick={() => {
                setPurging(item);
              }}
            >
              Delete permanently
            </Button>
          </Group>
        ),
    },
  ];
  return (
    <Page title="Trash">
      {restore.isSuccess && (
        <Text mb="md" role="status">
          “{restore.variables.name}” is back:{' '}
          <Link to={`/${restore.variables.kind}s/${restore.variables.id}`}>open it</Link>.
        </Text>
      )}
      {restore.error && (
        <Problem
          error={restore.error}
          title={`${quoted(restore.variables.name)} cannot be restored`}
        />
      )}
      <NamedList<TrashItem>
        path="/trash"
        what="trash"
        empty={
          <EmptyState title="The trash is empty">
            Deleted workspaces and datagrids stay here for some time, and can be restored.
          </EmptyState>
        }
        columns={columns}
      />
      {purging && (
        <Confirm
          title={`Delete ${quoted(purging.name)} permanently?`}
          message="This cannot be undone."
          submitLabel="Delete permanently"
          onClose={() => {
            setPurging(undefined);
          }}
          onConfirm={async () => {
            await dataRequest('DELETE', `/trash/${purging.id}`);
            await reloadLists();
          }}
        />
      )}
    </Page>
  );
}
