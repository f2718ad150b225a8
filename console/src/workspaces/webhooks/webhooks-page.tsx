import { Alert, Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useParams } from 'react-router';
import { DataTable, type TableColumn } from '../../common/data-table';
import { EmptyState } from '../../common/empty-state';
import { Loading } from '../../common/loading';
import { Parts } from '../../common/parts';
import { Problem } from '../../common/problem';
import { When } from '../../common/when';
import { Crumbs } from '../../list/crumbs';
import { ItemName } from '../../list/item-name';
import { mayManageWebhooks } from '../../session/role';
import { useSession } from '../../session/session-context';
import { Page } from '../../shell/page';
import { text } from '../../text/text';
import { webhooksText } from '../../text/webhooks-text';
import { workspaceQuery } from '../workspace-calls';
import { StatusBadge } from '../status-badge';
import { nameOf, statusOf, type Webhook } from './webhook';
import { webhooksQuery } from './webhook-calls';
import { WebhookDialog } from './webhook-dialog';
import './webhooks.css';

const t = webhooksText.list;

/** The webhooks of one workspace. */
export function WebhooksPage(): ReactNode {
  const { workspaceId = '' } = useParams();
  const mayManage = mayManageWebhooks(useSession().user.role);
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const { data: webhooks } = useQuery({ ...webhooksQuery(workspaceId), enabled: mayManage });
  const [isNew, setIsNew] = useState(false);
  const create = (
    <Button
      onClick={() => {
        setIsNew(true);
      }}
    >
      {t.create}
    </Button>
  );
  return (
    <Page
      title={t.title}
      above={
        <Crumbs
          way={[
            { name: text.frame.workspaces, to: '/workspaces' },
            { name: workspace?.name ?? text.frame.workspace, to: `/workspaces/${workspaceId}` },
          ]}
        />
      }
      actions={mayManage && webhooks?.length !== 0 && create}
    >
      {mayManage ? (
        <WebhookList workspaceId={workspaceId} create={create} />
      ) : (
        <Alert color="yellow">{webhooksText.forbidden}</Alert>
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
      <EmptyState title={t.none} action={create}>
        {t.noneHint}
      </EmptyState>
    );
  }
  const columns: readonly TableColumn<Webhook>[] = [
    {
      title: t.columns.url,
      cell: (webhook) => (
        <ItemName
          name={nameOf(webhook)}
          to={`/workspaces/${workspaceId}/webhooks/${webhook.id}`}
          description={webhook.description}
        />
      ),
    },
    { title: t.columns.status, cell: (webhook) => <StatusBadge {...statusOf(webhook)} /> },
    { title: t.columns.deliveries, isWide: true, cell: factsOf },
  ];
  return <DataTable label={t.label} columns={columns} items={webhooks} idOf={({ id }) => id} />;
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
            <Parts of={t.oldest(<When iso={oldestUndeliveredAt} />)} />
          </>
        )}
      </>
    );
  }
  if (!lastSuccessAt) return t.nothing;
  return <Parts of={t.last(<When iso={lastSuccessAt} />)} />;
}
