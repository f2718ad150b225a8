import type { Command } from 'commander';
import { AccountService } from '../../auth/account/account.service';
import { WebhookResyncService } from '../../webhooks/webhook-resync.service';
import { runs, type Work } from '../admin-command';
import { orMissing } from '../outcome';

const resync: Work<{ readonly account?: string }> = async (app, { account }) => {
  if (account) await orMissing(`Account ${account}`, app.get(AccountService).get(account));
  const { webhooks, datagrids } = await app.get(WebhookResyncService).resync(account ?? null);
  return {
    json: { webhooks, datagrids },
    text: `${String(webhooks)} webhooks send changes.gap for ${String(datagrids)} datagrids.`,
  };
};

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('resynchronize receivers of webhooks');
  runs(
    webhook
      .command('resync')
      .description('send changes.gap for every datagrid; use it after the restore of a backup')
      .option('--account <id>', 'only webhooks of this account'),
    resync,
  );
}
