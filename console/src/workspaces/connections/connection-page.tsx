import { Button, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useParams } from 'react-router';
import { Problem } from '../../common/problem';
import { DANGER, ItemMenu } from '../../list/item-menu';
import { mayManageConnections } from '../../session/role';
import { useSession } from '../../session/session-context';
import { Page } from '../../shell/page';
import { connectionsText } from '../../text/connections-text';
import { text } from '../../text/text';
import { IntegrationPage, Removal } from '../integration/integration-page';
import { TestDialog } from '../integration/test-dialog';
import { StatusBadge } from '../status-badge';
import { statusOf, type Connection } from './connection';
import {
  connectionQuery,
  deleteConnection,
  reloadConnections,
  testConnection,
  updateConnection,
  type ConnectionRef,
} from './connection-calls';
import { ConnectionFacts, ConnectionProblem } from './connection-health';
import { EditDialog, type ConnectionTaskProps } from './edit-dialog';
import { isReadable } from './imports/scheduled-import';
import { ScheduledImports } from './imports/scheduled-imports';
import { Runs } from './runs';
import { Tables } from './tables/tables';
import { TestResult } from './test-result';
import './connections.css';

type Task = 'edit' | 'test' | 'delete';

const { page: t, removal, test: testText } = connectionsText;

const listPath = (workspaceId: string): string => `/workspaces/${workspaceId}/connections`;

/** One connection: its health, settings, tables and runs. */
export function ConnectionPage(): ReactNode {
  const { workspaceId = '', connectionId = '' } = useParams();
  const mayManage = mayManageConnections(useSession().user.role);
  const at = { workspaceId, connectionId };
  const query = useQuery({ ...connectionQuery(at), enabled: mayManage });
  return (
    <IntegrationPage
      workspaceId={workspaceId}
      list={{ name: t.connections, path: listPath(workspaceId) }}
      title={t.title}
      mayManage={mayManage}
      forbidden={connectionsText.forbidden}
      query={query}
    >
      {(connection, crumbs) => <Content at={at} connection={connection} crumbs={crumbs} />}
    </IntegrationPage>
  );
}

interface ContentProps {
  readonly at: ConnectionRef;
  readonly connection: Connection;
  /** The way to the connection, above its name. */
  readonly crumbs: ReactNode;
}

function Content({ at, connection, crumbs }: ContentProps): ReactNode {
  const { workspaceId } = at;
  const [task, setTask] = useState<Task>();
  const enable = useMutation({
    mutationFn: (enabled: boolean) => updateConnection(at, { enabled }),
    onSettled: () => reloadConnections(workspaceId),
  });
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
  switch (task) {
    case undefined:
      return null;
    case 'edit':
      return <EditDialog {...props} />;
    case 'test':
      return (
        <TestDialog
          title={testText.title(connection.name)}
          texts={testText}
          test={() => testConnection(at)}
          onClose={onClose}
        >
          {(result) => <TestResult result={result} />}
        </TestDialog>
      );
    case 'delete':
      return (
        <Removal
          texts={removal}
          name={connection.name}
          listPath={listPath(at.workspaceId)}
          onDelete={() => deleteConnection(at)}
          onClose={onClose}
        />
      );
  }
}
