import { Button, Group, Menu, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link } from 'react-router';
import { dataRequest } from '../api/data';
import { Confirm } from '../common/confirm';
import type { TableColumn } from '../common/data-table';
import { EmptyState } from '../common/empty-state';
import { linkProblem } from '../datagrids/link-problem';
import { Parts } from '../common/parts';
import { Problem } from '../common/problem';
import { When } from '../common/when';
import { DANGER, ItemMenu } from '../list/item-menu';
import { ItemName } from '../list/item-name';
import { reloadLists } from '../list/listing';
import { NamedList } from '../list/named-list';
import { mayWriteSchema } from '../session/role';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import { workspacesText } from '../text/workspaces-text';

/** An item of the trash, as in the public API. */
interface TrashItem {
  readonly kind: 'workspace' | 'datagrid';
  readonly id: string;
  readonly name: string;
  readonly deletedAt: string;
  readonly expiresAt: string;
}

const t = workspacesText.trash;

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
    { title: t.columns.name, cell: ({ name }) => <ItemName name={name} /> },
    {
      title: t.columns.kind,
      isWide: true,
      cell: ({ kind }) => t.kinds[kind],
    },
    { title: t.columns.deleted, isWide: true, cell: ({ deletedAt }) => <When iso={deletedAt} /> },
    {
      title: t.columns.expires,
      isWide: true,
      cell: ({ expiresAt }) => <When iso={expiresAt} />,
    },
    {
      title: t.columns.actions,
      isActions: true,
      cell: (item) =>
        mayWrite && (
          <Group gap={2} wrap="nowrap" justify="flex-end">
            <Button
              variant="subtle"
              size="compact-xs"
              loading={restore.isPending && restore.variables.id === item.id}
              aria-label={t.restoreOne(item.name)}
              onClick={() => {
                restore.mutate(item);
              }}
            >
              {t.restore}
            </Button>
            <ItemMenu label={workspacesText.actionsFor(item.name)}>
              <Menu.Item
                c={DANGER}
                onClick={() => {
                  setPurging(item);
                }}
              >
                {t.purge}
              </Menu.Item>
            </ItemMenu>
          </Group>
        ),
    },
  ];
  return (
    <Page title={t.title}>
      {restore.isSuccess && (
        <Text mb="md" role="status">
          <Parts
            of={t.isBack(restore.variables.name, (label) => (
              <Link to={`/${restore.variables.kind}s/${restore.variables.id}`}>{label}</Link>
            ))}
          />
        </Text>
      )}
      {restore.error && (
        <Problem
          error={restore.error}
          title={t.notRestored(restore.variables.name)}
          message={linkProblem(restore.error)}
        />
      )}
      <NamedList<TrashItem>
        path="/trash"
        what="trash"
        empty={<EmptyState title={t.none}>{t.noneHint}</EmptyState>}
        columns={columns}
      />
      {purging && (
        <Confirm
          title={t.purgeTitle(purging.name)}
          message={t.purgeMessage}
          submitLabel={t.purgeSubmit}
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
