import type { Command } from 'commander';
import { AccountService } from '../../auth/account.service';
import type { OperatedWebhook, WebhookFilter } from '../../webhooks/webhook-admin.repository';
import { WebhookAdminService } from '../../webhooks/webhook-admin.service';
import { hostNameOf } from '../../webhooks/webhook-health.service';
import { WebhookResyncService } from '../../webhooks/webhook-resync.service';
import { statusOf } from '../../webhooks/webhook.service';
import { runs, type Work } from '../admin-command';
import { orMissing } from '../outcome';
import { readId, readLimit, USUAL_LIMIT } from './options';

interface WebhookDescription {
  readonly id: string;
  readonly accountId: string;
  readonly workspaceId: string;
  /** The rest of the URL may contain a secret. */
  readonly host: string;
  readonly status: string;
  readonly disabledReason: string | null;
  readonly consecutiveFailures: number;
  readonly lastErrorAt: string | null;
  readonly lastError: string | null;
  readonly oldestUndeliveredAt: string | null;
}

const list: Work<WebhookFilter & { readonly limit: number }> = async (app, options) => {
  const { account, limit } = options;
  if (account) await orMissing(`Account ${account}`, app.get(AccountService).get(account));
  const [found, total] = await app.get(WebhookAdminService).list(options, limit);
  const webhooks = found.map(describe);
  const rest = total - webhooks.length;
  const more = rest > 0 ? [`${String(rest)} more: use a greater --limit`] : [];
  const text = [...webhooks.map(lineOf), ...more].join('\n');
  return { json: { webhooks, total }, text: text === '' ? 'No webhooks found.' : text };
};

function describe(webhook: OperatedWebhook): WebhookDescription {
  const { id, accountId, workspaceId, url, disabledReason, consecutiveFailures } = webhook;
  return {
    id,
    accountId,
    workspaceId,
    host: hostNameOf(url),
    status: statusOf(webhook),
    disabledReason,
    consecutiveFailures,
    lastErrorAt: webhook.lastErrorAt?.toISOString() ?? null,
    lastError: webhook.lastError,
    oldestUndeliveredAt: webhook.oldestUndeliveredAt?.toISOString() ?? null,
  };
}

function lineOf(webhook: WebhookDescription): string {
  const { id, accountId, workspaceId, host, status, disabledReason } = webhook;
  const { consecutiveFailures, lastErrorAt, lastError, oldestUndeliveredAt } = webhook;
  const state = disabledReason === null ? status : `${status} (${disabledReason})`;
  const names = `${id}  account ${accountId}  workspace ${workspaceId}  ${host}  ${state}`;
  const waits = oldestUndeliveredAt === null ? [] : [`undelivered since ${oldestUndeliveredAt}`];
  const fails = consecutiveFailures === 0 ? [] : [`${String(consecutiveFailures)} failed attempts`];
  const error = lastErrorAt === null ? [] : [`last error at ${lastErrorAt}: ${lastError ?? ''}`];
  return [names, ...waits, ...fails, ...error].join('  ');
}

const disable: Work<{ readonly id: string }> = async (app, { id }) => {
  const reason = await orMissing(`Webhook ${id}`, app.get(WebhookAdminService).disable(id));
  return {
    json: { id, enabled: false, disabledReason: reason },
    text:
      reason === 'operator'
        ? `Webhook ${id} is disabled. Its account can enable it again.`
        : `Webhook ${id} was disabled before (${String(reason)}).`,
  };
};

const resync: Work<{ readonly account?: string }> = async (app, { account }) => {
  if (account) await orMissing(`Account ${account}`, app.get(AccountService).get(account));
  const { webhooks, datagrids } = await app.get(WebhookResyncService).resync(account ?? null);
  return {
    json: { webhooks, datagrids },
    text: `${String(webhooks)} webhooks send changes.gap for ${String(datagrids)} datagrids.`,
  };
};

export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('list, disable and resynchronize webhooks');
  runs(
    webhook
      .command('list')
      .description('list webhooks, those first whose events wait longest, disabled ones last')
      .option('--account <id>', 'only webhooks of this account')
      .option('--workspace <id>', 'only webhooks of this workspace', readId)
      .option('--failing', 'only webhooks of which an event is being repeated')
      .option('--limit <count>', 'maximum number of webhooks', readLimit, USUAL_LIMIT),
    list,
  );
  runs(
    webhook
      .command('disable')
      .description('disable a webhook; its account can enable it again')
      .requiredOption('--id <id>', 'id of the webhook'),
    disable,
  );
  runs(
    webhook
      .command('resync')
      .description('send changes.gap for every datagrid; use it after the restore of a backup')
      .option('--account <id>', 'only webhooks of this account'),
    resync,
  );
}
