import type { Command } from 'commander';
import { AccountService } from '../../auth/account/account.service';
import { runs, type Work } from '../admin-command';
import { orMissing } from '../missing';

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
    text: `Account ${accountId} is made, with ${ownerEmail} (user ${userId}) as its owner.`,
  };
};

const setSuspended =
  (suspended: boolean): Work<{ readonly account: string }> =>
  async (app, { account }) => {
    const change = app.get(AccountService).setSuspended(account, suspended);
    await orMissing(`account ${account}`, change);
    return {
      json: { accountId: account, suspended },
      text: `Account ${account} is ${suspended ? 'suspended' : 'active'}.`,
    };
  };

export function addAccountCommands(program: Command): void {
  const account = program.command('account').description('make, suspend and resume accounts');
  runs(
    account
      .command('create')
      .description('make an account with its first owner')
      .requiredOption('--name <name>', 'of the account')
      .requiredOption('--owner-email <email>', 'address of its first user, who will be an owner')
      .option('--share-email', 'also if the owner is a user of another account'),
    create,
    // Creates the schema if the database is empty: this is the first command in a new installation.
    'create',
  );
  runs(
    account
      .command('suspend')
      .description('refuse all keys of an account from the next request on')
      .requiredOption('--account <id>', 'the account'),
    setSuspended(true),
  );
  runs(
    account
      .command('resume')
      .description('end the suspension of an account')
      .requiredOption('--account <id>', 'the account'),
    setSuspended(false),
  );
}
