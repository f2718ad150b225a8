import { Button, Menu } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Link, useNavigate } from 'react-router';
import type { SessionUser } from '../api/types';
import type { TableColumn } from '../common/data-table';
import { EmptyState } from '../common/empty-state';
import { When } from '../common/when';
import { DANGER, ItemMenu } from '../list/item-menu';
import { ItemName } from '../list/item-name';
import { useIsEmpty } from '../list/listing';
import { NameDialog } from '../list/name-dialog';
import { NamedList } from '../list/named-list';
import { queryClient } from '../query-client';
import { mayWriteSchema } from '../session/role';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import { text } from '../text/text';
import { workspacesText } from '../text/workspaces-text';
import { DeleteWorkspace } from './delete-workspace';
import { FirstStepsPanel } from './first-steps/first-steps-panel';
import { useFirstSteps } from './first-steps/use-first-steps';
import type { Workspace } from './workspace';
import { createWorkspace, renameWorkspace, WORKSPACES } from './workspace-calls';

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'rename' | 'delete'; readonly of: Workspace };

const { list: t, columns } = workspacesText;

export function WorkspacesPage(): ReactNode {
  const { user } = useSession();
  const mayWrite = mayWriteSchema(user.role);
  const [open, setOpen] = useState<Open>();
  const navigate = useNavigate();
  const { steps, dismiss } = useFirstSteps();
  // An empty list has the button itself.
  const isEmpty = useIsEmpty({ path: WORKSPACES });
  const close = (): void => {
    setOpen(undefined);
  };
  const create = mayWrite && (
    <Button
      onClick={() => {
        setOpen({ kind: 'new' });
      }}
    >
      {t.create}
    </Button>
  );
  const listed: readonly TableColumn<Workspace>[] = [
    {
      title: columns.name,
      cell: ({ id, name, description }) => (
        <ItemName name={name} to={`/workspaces/${id}`} description={description} />
      ),
    },
    { title: columns.changed, isWide: true, cell: ({ updatedAt }) => <When iso={updatedAt} /> },
    {
      title: columns.actions,
      isActions: true,
      cell: (workspace) =>
        mayWrite && (
          <ItemMenu label={workspacesText.actionsFor(workspace.name)}>
            <Menu.Item
              onClick={() => {
                setOpen({ kind: 'rename', of: workspace });
              }}
            >
              {text.actions.rename}
            </Menu.Item>
            <Menu.Item
              c={DANGER}
              onClick={() => {
                setOpen({ kind: 'delete', of: workspace });
              }}
            >
              {text.actions.delete}
            </Menu.Item>
          </ItemMenu>
        ),
    },
  ];
  return (
    <Page title={t.title} actions={!isEmpty && create}>
      {steps && (
        <FirstStepsPanel
          steps={steps}
          onWorkspace={create}
          onDatagrid={
            steps.workspace && (
              <Button component={Link} to={`/workspaces/${steps.workspace.id}`} size="xs" mt="xs">
                {workspacesText.firstSteps.openWorkspace(steps.workspace.name)}
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
          !steps && <NoWorkspace user={user} create={create} />
        }
        columns={listed}
      />
      {open?.kind === 'new' && (
        <NameDialog
          title={t.createTitle}
          submitLabel={text.actions.create}
          onClose={close}
          onSave={async (body, key) => {
            const { id } = await createWorkspace(body, key);
            await navigate(`/workspaces/${id}`);
          }}
        />
      )}
      {open?.kind === 'rename' && (
        <NameDialog
          title={workspacesText.renameTitle(open.of.name)}
          submitLabel={text.actions.save}
          initial={open.of}
          onClose={close}
          onSave={({ name, description }) => renameWorkspace(open.of.id, { name, description })}
        />
      )}
      {open?.kind === 'delete' && <DeleteWorkspace workspace={open.of} onClose={close} />}
    </Page>
  );
}

interface NoWorkspaceProps {
  readonly user: SessionUser;
  /** Button that creates a workspace, if the user may. */
  readonly create: ReactNode;
}

/** Names the next step, which is another user's if this one cannot create workspaces. */
function NoWorkspace({ user, create }: NoWorkspaceProps): ReactNode {
  if (mayWriteSchema(user.role)) {
    return (
      <EmptyState title={t.none} action={create}>
        {t.noneHint}
      </EmptyState>
    );
  }
  const isMember = user.role === 'member';
  return (
    <EmptyState
      title={isMember ? t.noRole : t.none}
      action={
        <Button variant="default" onClick={() => void reloadAccess()}>
          {t.checkAgain}
        </Button>
      }
    >
      {isMember ? t.noRoleHint(user.email) : t.noneYet}
    </EmptyState>
  );
}

/** Reads the roles and the workspaces of the user again, also those of the sidebar. */
async function reloadAccess(): Promise<void> {
  await queryClient.invalidateQueries();
}
