import { Alert, Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { TableColumn } from '../common/data-table';
import { EmptyState } from '../common/empty-state';
import { ItemName } from '../list/item-name';
import { NamedList } from '../list/named-list';
import { highestRole, mayManageConnections, mayManageWebhooks, mayRunSql } from '../session/role';
import { useSession } from '../session/session-context';
import { Page } from '../shell/page';
import '../list/list.css';
import { text } from '../text/text';
import { workspacesText } from '../text/workspaces-text';
import type { Workspace } from './workspace';
import { WORKSPACES } from './workspace-calls';

/** Whether a role may open the page. */
const MAY_OPEN = {
  sql: mayRunSql,
  webhooks: mayManageWebhooks,
  connections: mayManageConnections,
};

export interface ChooseWorkspacePageProps {
  /** What the workspace is chosen for. Also the last part of the URL of its page. */
  readonly kind: keyof typeof MAY_OPEN;
}

/** SQL, webhooks and connections belong to a workspace. This page chooses it. */
export default function ChooseWorkspacePage({ kind }: ChooseWorkspacePageProps): ReactNode {
  const may = MAY_OPEN[kind](highestRole(useSession().user));
  const columns: readonly TableColumn<Workspace>[] = [
    {
      title: text.frame.workspace,
      cell: ({ id, name, description }) => (
        <ItemName name={name} to={`/workspaces/${id}/${kind}`} description={description} />
      ),
    },
  ];
  return (
    <Page title={text.nav[kind]} intro={may && workspacesText.chooseWorkspace[kind]}>
      {may ? (
        <NamedList<Workspace>
          path={WORKSPACES}
          what="workspaces"
          empty={
            <EmptyState
              title={workspacesText.chooseWorkspace.none}
              action={
                <Button component={Link} to="/workspaces">
                  {workspacesText.chooseWorkspace.create}
                </Button>
              }
            >
              {workspacesText.chooseWorkspace[kind]}
            </EmptyState>
          }
          columns={columns}
        />
      ) : (
        <Alert color="yellow">{workspacesText.chooseWorkspace.forbidden[kind]}</Alert>
      )}
    </Page>
  );
}
