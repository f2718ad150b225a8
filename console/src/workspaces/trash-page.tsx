import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { dataRequest } from '../api/data';
import { Confirm } from '../common/confirm';
import { Problem } from '../common/problem';
import { quoted } from '../common/quoted';
import { When } from '../common/when';
import { Crumbs } from '../list/crumbs';
import { ListItem } from '../list/list-item';
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
  return (
    <Page title="Trash" above={<Crumbs way={[{ name: 'Workspaces', to: '/workspaces' }]} />}>
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
        what="deleted objects"
        empty={<Text>The trash is empty.</Text>}
        renderItem={(item) => (
          <ListItem
            name={item.name}
            facts={
              <>
                {item.kind === 'workspace' ? 'Workspace with its datagrids' : 'Datagrid'}, deleted{' '}
                <When iso={item.deletedAt} />, permanently deleted <When iso={item.expiresAt} />
              </>
            }
            actions={
              mayWrite && (
                <Group gap="xs" justify="flex-end">
                  <Button
                    variant="default"
                    size="xs"
                    loading={restore.isPending && restore.variables.id === item.id}
                    aria-label={`Restore ${item.name}`}
                    onClick={() => {
                      restore.mutate(item);
                    }}
                  >
                    Restore
                  </Button>
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={`Delete permanently: ${item.name}`}
                    onClick={() => {
                      setPurging(item);
                    }}
                  >
                    Delete permanently
                  </Button>
                </Group>
              )
            }
          />
        )}
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
