import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { FactorSecretService } from '../../auth/factor/factor-secret.service';
import { ProviderSecretService } from '../../auth/provider/provider-secret.service';
import { ConnectionSecretService } from '../../connections/connection-secret.service';
import { joinStatuses } from '../../platform/secrets/secret-status';
import type { StoredSecretService } from '../../platform/secrets/stored-secret.service';
import { WebhookSecretService } from '../../webhooks/webhook-secret.service';
import { runs, type Work } from '../admin-command';

/** The secrets of each kind. */
const kindsOf = (
  app: INestApplicationContext,
): readonly (WebhookSecretService | StoredSecretService)[] => [
  app.get(WebhookSecretService),
  app.get(ConnectionSecretService),
  app.get(FactorSecretService),
  app.get(ProviderSecretService),
];

const status: Work<object> = async (app) => {
  const statuses = await Promise.all(kindsOf(app).map((kind) => kind.status()));
  const { clear, keys, unopenable } = statuses.reduce(joinStatuses);
  const lines = keys.map(({ id, state, secrets }) => `${id} (${state}): ${String(secrets)}`);
  const text = [...lines, `in clear: ${String(clear)}`, `cannot be opened: ${String(unopenable)}`];
  return { json: { clear, keys, unopenable }, text: text.join('\n'), hasFailed: unopenable > 0 };
};

const seal: Work<object> = async (app) => {
  let [sealed, rewrapped, unopenable] = [0, 0, 0];
  for (const kind of kindsOf(app)) {
    const counted = await kind.seal();
    sealed += counted.sealed;
    rewrapped += counted.rewrapped;
    unopenable += counted.unopenable;
  }
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
