import { Alert, Button, Group, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useNavigate, useParams } from 'react-router';
import { Confirm } from '../../common/confirm';
import { Loading } from '../../common/loading';
import { Problem } from '../../common/problem';
import { Crumbs } from '../../list/crumbs';
import { DANGER, ItemMenu } from '../../list/item-menu';
import { mayManageWebhooks } from '../../session/role';
import { useSession } from '../../session/session-context';
import { Page } from '../../shell/page';
import { text } from '../../text/text';
import { webhooksText } from '../../text/webhooks-text';
import { workspaceQuery } from '../workspace-calls';
import { Deliveries } from './deliveries';
import { ReplayDialog } from './replay-dialog';
import { RotateSecretDialog } from './rotate-secret-dialog';
import { StatusBadge } from '../status-badge';
import { TestDialog } from './test-dialog';
import { nameOf, statusOf, type Webhook } from './webhook';
import { deleteWebhook, reloadWebhooks, updateWebhook, webhookQuery } from './webhook-calls';
import { WebhookDialog } from './webhook-dialog';
import { WebhookFacts, WebhookProblem } from './webhook-health';
import './webhooks.css';

type Task = 'edit' | 'rotate' | 'test' | 'replay' | 'delete';

const { page: t, removal } = webhooksText;

/** One webhook: its health, settings and deliveries. */
export function WebhookPage(): ReactNode {
  const { workspaceId = '', webhookId = '' } = useParams();
  const mayManage = mayManageWebhooks(useSession().user.role);
  const at = { workspaceId, webhookId };
  const { data: workspace } = useQuery(workspaceQuery(workspaceId));
  const { data: webhook, error, refetch } = useQuery({ ...webhookQuery(at), enabled: mayManage });
  const [task, setTask] = useState<Task>();
  const enable = useMutation({
    mutationFn: () => updateWebhook(at, { enabled: true }),
    onSettled: () => reloadWebhooks(workspaceId),
  });
  const path = `/workspaces/${workspaceId}`;
  const crumbs = (
    <Crumbs
      way={[
        { name: text.frame.workspaces, to: '/workspaces' },
        { name: workspace?.name ?? text.frame.workspace, to: path },
        { name: t.webhooks, to: `${path}/webhooks` },
      ]}
    />
  );
  if (!webhook) {
    return (
      <Page title={t.title} above={crumbs}>
        {!mayManage && <Alert color="yellow">{webhooksText.forbidden}</Alert>}
        {mayManage && error && <Problem error={error} onRetry={() => void refetch()} />}
        {mayManage && !error && <Loading />}
      </Page>
    );
  }
  const start = (next: Task) => () => {
    setTask(next);
  };
  return (
    <Page
      title={nameOf(webhook)}
      above={crumbs}
      badge={<StatusBadge {...statusOf(webhook)} />}
      intro={webhook.description}
      actions={
        <>
          <Button onClick={start('test')}>{t.test}</Button>
          <Button variant="default" onClick={start('edit')}>
            {text.actions.edit}
          </Button>
          <ItemMenu label={t.actions}>
            <Menu.Item onClick={start('replay')}>{t.replay}</Menu.Item>
            <Menu.Item onClick={start('rotate')}>{t.rotate}</Menu.Item>
            <Menu.Divider />
            <Menu.Item c={DANGER} onClick={start('delete')}>
              {text.actions.delete}
            </Menu.Item>
          </ItemMenu>
        </>
      }
    >
      <WebhookProblem webhook={webhook} />
      {!webhook.enabled && (
        <Group mb="lg">
          <Button
            variant="default"
            loading={enable.isPending}
            onClick={() => {
              enable.mutate();
            }}
          >
            {t.enable}
          </Button>
        </Group>
      )}
      {!webhook.enabled && enable.error && <Problem error={enable.error} title={t.notEnabled} />}
      <WebhookFacts workspaceId={workspaceId} webhook={webhook} />
      <Deliveries at={at} />
      <WebhookTask
        task={task}
        at={at}
        webhook={webhook}
        onClose={() => {
          setTask(undefined);
        }}
      />
    </Page>
  );
}

interface TaskProps {
  readonly task: Task | undefined;
  readonly at: { readonly workspaceId: string; readonly webhookId: string };
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

function WebhookTask({ task, ...props }: TaskProps): ReactNode {
  const { at, webhook, onClose } = props;
  const navigate = useNavigate();
  switch (task) {
    case undefined:
      return null;
    case 'edit':
      return <WebhookDialog workspaceId={at.workspaceId} webhook={webhook} onClose={onClose} />;
    case 'rotate':
      return <RotateSecretDialog {...props} />;
    case 'test':
      return <TestDialog {...props} />;
    case 'replay':
      return <ReplayDialog {...props} />;
    case 'delete':
      return (
        <Confirm
          title={removal.title(nameOf(webhook))}
          message={removal.message}
          submitLabel={removal.submit}
          onClose={onClose}
          onConfirm={async () => {
            await deleteWebhook(at);
            await navigate(`/workspaces/${at.workspaceId}/webhooks`);
          }}
        />
      );
  }
}
