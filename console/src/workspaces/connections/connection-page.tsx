import { Alert, Button, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useNavigate, useParams } from 'react-router';
import { Confirm } from '../../common/confirm';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { Crumbs } from '../../list/crumbs';
import { DANGER, ItemMenu } from '../../list/item-menu';
import { mayManageConnections } from '../../session/role';
import { useSession } from '../../session/session-context';
import { Page } from '../../shell/page';
import { connectionsText } from '../../text/connections-text';
import { text } from '../../text/text';
import { StatusBadge } from '../status-badge';
import { workspaceQuery } from '../workspace-calls';
import { statusOf } from './connection';
import {
  connectionQuery,
  deleteConnection,
  reloadConnections,
  updateConnection,
} from './connection-calls';
import { ConnectionFacts, ConnectionProblem } from './connection-health';
import { EditDialog } from './edit-dialog';
import { isReadable } from './imports/scheduled-import';
import { ScheduledImports } from './imports/scheduled-imports';
import { Runs } from './runs';
import { Tables } from './tables/tables';
import { TestDialog, type ConnectionTaskProps } from './test-dialog';
import './connections.css';

type Task = 'edit' | 'test' | 'delete';

const { page: t, removal } = connectionsText;

/** One connection: its health, settings, tables and runs. */
export function ConnectionPage(): ReactNode {
  const { workspaceId = '', connectionId = '' } = useParams();
  const mayManage = mayManageConnections(useSession().user.role);
  const at = { workspaceId, connectionId };
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const query = useQuery({ ...connectionQuery(at), enabled: mayManage });
  const { data: connection, error, refetch } = query;
  const [task, setTask] = useState<Task>();
  const enable = useMutation({
    mutationFn: (enabled: boolean) => updateConnection(at, { enabled }),
    onSettled: () => reloadConnections(workspaceId),
  });
  const path = `/workspaces/${workspaceId}`;
  const crumbs = (
    <Crumbs
      way={[
        { name: text.frame.workspaces, to: '/workspaces' },
        { name: workspace?.name ?? text.frame.workspace, to: path },
        { name: t.connections, to: `${path}/connections` },
      ]}
    />
  );
  if (!connection) {
    return (
      <Page title={t.title} above={crumbs}>
        {!mayManage && <Alert color="yellow">{connectionsText.forbidden}</Alert>}
        {mayManage && error && <Problem error={error} onRetry={() => void refetch()} />}
        {mayManage && !error && <Loading />}
      </Page>
    );
  }
  const start = (next: Task) => () => {
    setTask(next);
  };
  const { enabled, datagridIds } = connection;
  // Otherwise it only serves scheduled imports.
  const copies = datagridIds?.length !== 0;
  return (
    <Page
      title={connection.name}
      above={crumbs}
      badge={<StatusBadge {...statusOf(connection)} />}
      actions={
        <>
          <Button
            variant={enabled ? 'default' : 'filled'}
            loading={enable.isPending}
            onClick={() => {
              enable.mutate(!enabled);
            }}
          >
            {enabled ? text.actions.pause : text.actions.resume}
          </Button>
          <Button variant="default" onClick={start('edit')}>
            {text.actions.edit}
          </Button>
          <ItemMenu label={t.actions}>
            <Menu.Item onClick={start('test')}>{t.test}</Menu.Item>
            <Menu.Divider />
            <Menu.Item c={DANGER} onClick={start('delete')}>
              {text.actions.delete}
            </Menu.Item>
          </ItemMenu>
        </>
      }
    >
      {enable.error && <Problem error={enable.error} title={t.notChanged} />}
      <ConnectionProblem connection={connection} />
      <ConnectionFacts workspaceId={workspaceId} connection={connection} />
      {copies && <Tables at={at} />}
      {isReadable(connection.type) && <ScheduledImports at={at} />}
      {copies && <Runs at={at} />}
      <ConnectionTask
        task={task}
        at={at}
        connection={connection}
        onClose={() => {
          setTask(undefined);
        }}
      />
    </Page>
  );
}

interface TaskProps extends ConnectionTaskProps {
  readonly task: Task | undefined;
}

function ConnectionTask({ task, ...props }: TaskProps): ReactNode {
  const { at, connection, onClose } = props;
  const navigate = useNavigate();
  switch (task) {
    case undefined:
      return null;
    case 'edit':
      return <EditDialog {...props} />;
    case 'test':
      return <TestDialog {...props} />;
    case 'delete':
      return (
        <Confirm
          title={removal.title(connection.name)}
          message={removal.message}
          submitLabel={removal.submit}
          onClose={onClose}
          onConfirm={async () => {
            await deleteConnection(at);
            await navigate(`/workspaces/${at.workspaceId}/connections`);
          }}
        />
      );
  }
}
