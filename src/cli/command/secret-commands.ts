import type { Command } from 'commander';
import { ConnectionSecretService } from '../../connections/connection-secret.service';
import { joinStatuses } from '../../platform/secrets/secret-status';
import { WebhookSecretService } from '../../webhooks/webhook-secret.service';
import { runs, type Work } from '../admin-command';

const status: Work<object> = async (app) => {
  const { clear, keys, unopenable } = joinStatuses(
    await app.get(WebhookSecretService).status(),
    await app.get(ConnectionSecretService).status(),
  );
  const lines = keys.map(({ id, state, secrets }) => `${id} (${state}): ${String(secrets)}`);
  const text = [...lines, `in clear: ${String(clear)}`, `cannot be opened: ${String(unopenable)}`];
  return { json: { clear, keys, unopenable }, text: text.join('\n'), hasFailed: unopenable > 0 };
};

const seal: Work<object> = async (app) => {
  const webhooks = await app.get(WebhookSecretService).seal();
  const connections = await app.get(ConnectionSecretService).seal();
  const sealed = webhooks.sealed + connections.sealed;
  const rewrapped = webhooks.rewrapped + connections.rewrapped;
  const unopenable = webhooks.unopenable + connections.unopenable;
  const counts = [
    `${String(sealed)} secrets sealed`,
    `${String(rewrapped)} wrapped with the first key`,
    `${String(unopenable)} cannot be opened`,
  ];
  return {
    json: { sealed, rewrapped, unopenable },
    text: `${counts.join(', ')}.`,
    hasFailed: unopenable > 0,
  };
};

export function addSecretCommands(program: Command): void {
  const secrets = program.command('secrets').description('seal secrets at rest');
  runs(
    secrets
      .command('status')
      .description('count secrets in clear and those of each key of SECRETS_KEY_FILE'),
    status,
  );
  runs(
    secrets
      .command('seal')
      .description(
        'seal secrets in clear, and wrap those of older keys with the first key of ' +
          'SECRETS_KEY_FILE; use it once all instances have that key',
      ),
    seal,
  );
}
