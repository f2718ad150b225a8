import type { Command } from 'commander';
import { AccountService } from '../../auth/account.service';
import { ProviderRuleService } from '../../auth/provider/provider-rule.service';
import { runs, type Work } from '../admin-command';
import { orMissing } from '../outcome';

interface Create {
  readonly name: string;
  readonly ownerEmail: string;
  readonly shareEmail?: boolean;
}

const create: Work<Create> = async (app, { name, ownerEmail, shareEmail }) => {
  const accounts = app.get(AccountService);
  const { accountId, userId } = await accounts.create(name, ownerEmail, shareEmail);
  return {
    json: { accountId, userId },
    text: `Created account ${accountId} with owner ${ownerEmail} (user ${userId}).`,
  };
};

const setSuspended =
  (suspended: boolean): Work<{ readonly account: string }> =>
  async (app, { account }) => {
    const change = app.get(AccountService).setSuspended(account, suspended);
    await orMissing(`Account ${account}`, change);
    return {
      json: { accountId: account, suspended },
      text: `Account ${account} is ${suspended ? 'suspended' : 'active'}.`,
    };
  };

const allowPasswords: Work<{ readonly account: string }> = async (app, { account }) => {
  const change = app.get(ProviderRuleService).set(account, null, 'operator');
  await orMissing(`Account ${account}`, change);
  return {
    json: { accountId: account, requiresProvider: false },
    text: `Users of account ${account} may sign in with passwords and passkeys.`,
  };
};

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('create, suspend and resume accounts');
  runs(
    account
      .command('create')
      .description('create an account and its first owner')
      .requiredOption('--name <name>', 'name of the account')
      .requiredOption('--owner-email <email>', 'email address of the owner')
      .option('--share-email', 'allow an address that another account already uses'),
    create,
    // Creates the schema if the database is empty: this is the first command in a new installation.
    'create',
  );
  runs(
    account
      .command('suspend')
      .description('suspend an account: reject its keys and sessions from the next request on')
      .requiredOption('--account <id>', 'id of the account'),
    setSuspended(true),
  );
  runs(
    account
      .command('resume')
      .description('resume a suspended account')
      .requiredOption('--account <id>', 'id of the account'),
    setSuspended(false),
  );
  runs(
    account
      .command('allow-passwords')
      .description('stop requiring single sign-on, for owners who are locked out')
      .requiredOption('--account <id>', 'id of the account'),
    allowPasswords,
  );
}
