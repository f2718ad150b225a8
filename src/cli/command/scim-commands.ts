import type { Command } from 'commander';
import { AccountService } from '../../auth/account.service';
import { type ScimTokenRecord, ScimTokenService } from '../../auth/scim-token/scim-token.service';
import { runs, type Work } from '../admin-command';
import { orMissing } from '../outcome';

interface OfAccount {
  readonly account: string;
}

const list: Work<OfAccount> = async (app, { account }) => {
  await orMissing(`Account ${account}`, app.get(AccountService).get(account));
  const tokens = (await app.get(ScimTokenService).listOf(account)).map(describe);
  const text = tokens.map(lineOf).join('\n');
  return { json: { tokens }, text: text === '' ? 'No SCIM tokens found.' : text };
};

function describe({ id, name, lastFour, createdAt, lastUsedAt, expiresAt }: ScimTokenRecord): {
  readonly id: string;
  readonly name: string;
  readonly lastFour: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
} {
  return {
    ...{ id, name, lastFour, createdAt: createdAt.toISOString() },
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}

function lineOf({
  id,
  name,
  lastFour,
  lastUsedAt,
  expiresAt,
}: ReturnType<typeof describe>): string {
  const used = lastUsedAt === null ? 'never used' : `last used ${lastUsedAt}`;
  const expires = expiresAt === null ? 'does not expire' : `expires ${expiresAt}`;
  return [id, name, `ms_…${lastFour}`, used, expires].join('  ');
}

const revoke: Work<OfAccount & { readonly id: string }> = async (app, { account, id }) => {
  await orMissing(`Account ${account}`, app.get(AccountService).get(account));
  const revoked = app.get(ScimTokenService).revoke(account, id, 'operator');
  await orMissing(`SCIM token ${id}`, revoked);
  return { json: { id, revoked: true }, text: `SCIM token ${id} is revoked.` };
};

export function addScimCommands(program: Command): void {
  const scim = program
    .command('scim-token')
    .description('list and revoke SCIM tokens, with which directories provision users');
  runs(
    scim
      .command('list')
      .description('list the SCIM tokens of an account, oldest first')
      .requiredOption('--account <id>', 'id of the account'),
    list,
  );
  runs(
    scim
      .command('revoke')
      .description('revoke a SCIM token; users and groups stay')
      .requiredOption('--account <id>', 'id of the account')
      .requiredOption('--id <id>', 'id of the token'),
    revoke,
  );
}
