import { Button, Menu } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import type { TableColumn } from '../common/data-table';
import { EmptyState } from '../common/empty-state';
import { quoted } from '../common/quoted';
import { When } from '../common/when';
import { ItemMenu } from '../list/item-menu';
import { ItemName } from '../list/item-name';
import { NameDialog } from '../list/name-dialog';
import { NamedList } from '../list/named-list';
import { mayWriteSchema } from '../session/role';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import { text } from '../text/text';
import { DeleteWorkspace } from './delete-workspace';
import { FirstStepsPanel } from './first-steps/first-steps-panel';
import { useFirstSteps } from './first-steps/use-first-steps';
import type { Workspace } from './workspace';
import { createWorkspace, renameWorkspace, WORKSPACES } from './workspace-calls';

type Open =
  { readonly kind: 'new' } | { readonly kind: 'rename' | 'delete'; readonly of: Workspace };

export function WorkspacesPage(): ReactNode {
  const mayWrite = mayWriteSchema(useSession().user.role);
  const [open, setOpen] = useState<Open>();
  const navigate = useNavigate();
  const { steps, dismiss } = useFirstSteps();
  const close = (): void => {
    setOpen(undefined);
  };
  const create = mayWrite && (
    <Button
      onClick={() => {
        setOpen({ kind: 'new' });
      }}
    >
      New workspace
    </Button>
  );
  const columns: readonly TableColumn<Workspace>[] = [
    {
      title: 'Name',
      cell: ({ id, name, description }) => (
        <ItemName name={name} to={`/workspaces/${id}`} description={description} />
      ),
    },
    { title: 'Changed', isWide: true, cell: ({ updatedAt }) => <When iso={updatedAt} /> },
    {
      title: 'Actions',
      isActions: true,
      cell: (workspace) =>
        mayWrite && (
          <ItemMenu label={`Actions for ${workspace.name}`}>
            <Menu.Item
              onClick={() => {
                setOpen({ kind: 'rename', of: workspace });
              }}
            >
              Rename
            </Menu.Item>
            <Menu.Item
              onClick={() => {
                setOpen({ kind: 'delete', of: workspace });
              }}
            >
              Delete
            </Menu.Item>
          </ItemMenu>
        ),
    },
  ];
  return (
    <Page title="Workspaces" actions={create}>
      {steps && (
        <FirstStepsPanel
          steps={steps}
          onWorkspace={create}
          onDatagrid={
            steps.workspace && (
              <Button component={Link} to={`/workspaces/${steps.workspace.id}`} size="xs" mt="xs">
                {text.firstSteps.openWorkspace(steps.workspace.name)}
              </Button>
            )
          }
          onDismiss={dismiss}
        />
      )}
      <NamedList<Workspace>
        path={WORKSPACES}
        what="workspaces"
        empty={
          // The first steps begin with a workspace.
          !steps && (
            <EmptyState title="No workspace yet" action={create}>
              A workspace holds datagrids that belong together.
            </EmptyState>
          )
        }
        columns={columns}
      />
      {open?.kind === 'new' && (
        <NameDialog
          title="New workspace"
          submitLabel="Create"
          onClose={close}
          onSave={async (body, key) => {
            const { id } = await createWorkspace(body, key);
            await navigate(`/workspaces/${id}`);
          }}
        />
      )}
      {open?.kind === 'rename' && (
        <NameDialog
          title={`Rename ${quoted(open.of.name)}`}
          submitLabel="Save"
          initial={open.of}
          onClose={close}
          onSave={({ name, description }) => renameWorkspace(open.of.id, { name, description })}
        />
      )}
      {open?.kind === 'delete' && <DeleteWorkspace workspace={open.of} onClose={close} />}
    </Page>
  );
}
