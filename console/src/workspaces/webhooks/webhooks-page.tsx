import { Alert, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useParams } from 'react-router';
import { DataTable, type TableColumn } from '../../common/data-table';
import { EmptyState } from '../../common/empty-state';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { When } from '../../common/when';
import { Crumbs } from '../../list/crumbs';
import { ItemName } from '../../list/item-name';
import { mayManageWebhooks } from '../../session/role';
import { useSession } from '../../session/session-context';
import { Page } from '../../shell/page';
import { workspaceQuery } from '../workspace-calls';
import { StatusBadge } from '../status-badge';
import { nameOf, statusOf, type Webhook } from './webhook';
import { webhooksQuery } from './webhook-calls';
import { WebhookDialog } from './webhook-dialog';
import './webhooks.css';

/** The webhooks of one workspace. */
export function WebhooksPage(): ReactNode {
  const { workspaceId = '' } = useParams();
  const mayManage = mayManageWebhooks(useSession().user.role);
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const [isNew, setIsNew] = useState(false);
  const create = (
    <Button
      onClick={() => {
        setIsNew(true);
      }}
    >
      New webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      above={
        <Crumbs
          way={[
            { name: 'Workspaces', to: '/workspaces' },
            { name: workspace?.name ?? 'Workspace', to: `/workspaces/${workspaceId}` },
          ]}
        />
      }
      actions={mayManage && create}
    >
      {mayManage ? (
        <WebhookList workspaceId={workspaceId} create={create} />
      ) : (
        <Alert color="yellow">Only admins and owners can manage webhooks.</Alert>
      )}
      {isNew && (
        <WebhookDialog
          workspaceId={workspaceId}
          onClose={() => {
            setIsNew(false);
          }}
        />
      )}
    </Page>
  );
}

interface WebhookListProps {
  readonly workspaceId: string;
  readonly create: ReactNode;
}

function WebhookList({ workspaceId, create }: WebhookListProps): ReactNode {
  const { data: webhooks, error, refetch } = useQuery(webhooksQuery(workspaceId));
  if (!webhooks) {
    return error ? <Problem error={error} onRetry={() => void refetch()} /> : <Loading />;
  }
  if (webhooks.length === 0) {
    return (
      <EmptyState title="No webhook yet" action={create}>
        A webhook sends the changes of this workspace’s datagrids to a URL of yours, within about a
        second. Events are signed, and repeated until your endpoint accepts them.
      </EmptyState>
    );
  }
  const columns: readonly TableColumn<Webhook>[] = [
    {
      title: 'URL',
      cell: (webhook) => (
        <ItemName
          name={nameOf(webhook)}
          to={`/workspaces/${workspaceId}/webhooks/${webhook.id}`}
          description={webhook.description}
        />
      ),
    },
    { title: 'Status', cell: (webhook) => <StatusBadge {...statusOf(webhook)} /> },
    { title: 'Deliveries', isWide: true, cell: factsOf },
  ];
  return <DataTable label="Webhooks" columns={columns} items={webhooks} idOf={({ id }) => id} />;
}

function factsOf(webhook: Webhook): ReactNode {
  const { status, lastSuccessAt, lastError, oldestUndeliveredAt } = webhook;
  if (status !== 'active' && lastError) {
    return (
      <>
        {lastError}
        {oldestUndeliveredAt && (
          <>
            {' '}
            Oldest undelivered change: <When iso={oldestUndeliveredAt} />
          </>
        )}
      </>
    );
  }
  if (!lastSuccessAt) return 'Nothing delivered yet';
  return (
    <>
      Last delivery <When iso={lastSuccessAt} />
    </>
  );
}
