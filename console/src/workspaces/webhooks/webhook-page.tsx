import { Button, Group, Menu } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useParams } from 'react-router';
import { Problem } from '../../common/problem';
import { DANGER, ItemMenu } from '../../list/item-menu';
import { mayManageWebhooks } from '../../session/role';
import { useSession } from '../../session/session-context';
import { Page } from '../../shell/page';
import { text } from '../../text/text';
import { webhooksText } from '../../text/webhooks-text';
import { IntegrationPage, Removal } from '../integration/integration-page';
import { TestDialog } from '../integration/test-dialog';
import { StatusBadge } from '../status-badge';
import { Deliveries, TestedDelivery } from './deliveries';
import { ReplayDialog } from './replay-dialog';
import { RotateSecretDialog, type WebhookTaskProps } from './rotate-secret-dialog';
import { nameOf, statusOf, type Webhook } from './webhook';
import {
  deleteWebhook,
  reloadWebhooks,
  sendTest,
  updateWebhook,
  webhookQuery,
  type WebhookRef,
} from './webhook-calls';
import { WebhookDialog } from './webhook-dialog';
import { WebhookFacts, WebhookProblem } from './webhook-health';
import './webhooks.css';

type Task = 'edit' | 'rotate' | 'test' | 'replay' | 'delete';

const { page: t, removal, test: testText } = webhooksText;

const listPath = (workspaceId: string): string => `/workspaces/${workspaceId}/webhooks`;

/** One webhook: its health, settings and deliveries. */
export function WebhookPage(): ReactNode {
  const { workspaceId = '', webhookId = '' } = useParams();
  const mayManage = mayManageWebhooks(useSession().user.role);
  const at = { workspaceId, webhookId };
  const query = useQuery({ ...webhookQuery(at), enabled: mayManage });
  return (
    <IntegrationPage
      workspaceId={workspaceId}
      list={{ name: t.webhooks, path: listPath(workspaceId) }}
      title={t.title}
      mayManage={mayManage}
      forbidden={webhooksText.forbidden}
      query={query}
    >
      {(webhook, crumbs) => <Content at={at} webhook={webhook} crumbs={crumbs} />}
    </IntegrationPage>
  );
}

interface ContentProps {
  readonly at: WebhookRef;
  readonly webhook: Webhook;
  /** The way to the webhook, above its name. */
  readonly crumbs: ReactNode;
}

function Content({ at, webhook, crumbs }: ContentProps): ReactNode {
  const { workspaceId } = at;
  const [task, setTask] = useState<Task>();
  const enable = useMutation({
    mutationFn: () => updateWebhook(at, { enabled: true }),
    onSettled: () => reloadWebhooks(workspaceId),
  });
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

interface TaskProps extends WebhookTaskProps {
  readonly task: Task | undefined;
}

function WebhookTask({ task, ...props }: TaskProps): ReactNode {
  const { at, webhook, onClose } = props;
  switch (task) {
    case undefined:
      return null;
    case 'edit':
      return <WebhookDialog workspaceId={at.workspaceId} webhook={webhook} onClose={onClose} />;
    case 'rotate':
      return <RotateSecretDialog {...props} />;
    case 'test':
      return (
        <TestDialog
          title={testText.title(nameOf(webhook))}
          texts={testText}
          test={() => sendTest(at)}
          onTested={() => reloadWebhooks(at.workspaceId)}
          onClose={onClose}
        >
          {(delivery) => <TestedDelivery delivery={delivery} />}
        </TestDialog>
      );
    case 'replay':
      return <ReplayDialog {...props} />;
    case 'delete':
      return (
        <Removal
          texts={removal}
          name={nameOf(webhook)}
          listPath={listPath(at.workspaceId)}
          onDelete={() => deleteWebhook(at)}
          onClose={onClose}
        />
      );
  }
}
