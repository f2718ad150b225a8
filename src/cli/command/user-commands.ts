import { Option, type Command } from 'commander';
import { AccountService } from '../../auth/account/account.service';
import { InviteService } from '../../auth/invite/invite.service';
import { UserService } from '../../auth/user/user.service';
import { ROLES, type Role } from '../../common/permission/role';
import { runs, type Work } from '../admin-command';
import { orMissing } from '../missing';

interface Create {
  readonly account: string;
  readonly email: string;
  readonly role: Role;
}

const create: Work<Create> = async (app, { account, email, role }) => {
  await orMissing(`account ${account}`, app.get(AccountService).get(account));
  const { id } = await app.get(UserService).create(account, email, role, 'operator');
  return { json: { userId: id }, text: `User ${id} is made: ${email}, ${role}.` };
};

/** Identifies a user of an account by email address. */
interface Named {
  readonly email: string;
  /** Required if several accounts have a user with this address. */
  readonly account?: string;
}

const setSuspended =
  (suspended: boolean): Work<Named> =>
  async (app, { email, account }) => {
    const change = app.get(UserService).setSuspended(email, suspended, account);
    const { id } = await orMissing(`user ${email}`, change);
    return {
      json: { userId: id, suspended },
      text: `User ${email} is ${suspended ? 'suspended' : 'active'}.`,
    };
  };

const setRole: Work<Named & { readonly role: Role }> = async (app, { email, role, account }) => {
  const change = app.get(UserService).setRole(email, role, account);
  const { id } = await orMissing(`user ${email}`, change);
  return { json: { userId: id, role }, text: `User ${email} is now ${role}.` };
};

const invite: Work<Named> = async (app, { email, account }) => {
  const user = await orMissing(`user ${email}`, app.get(UserService).getByEmail(email, account));
  const { url, expiresAt } = await app.get(InviteService).create(user, 'operator');
  const until = expiresAt.toISOString();
  return {
    json: { url, expiresAt: until },
    text: `${url}\nFor ${email} to set a password by, once, until ${until}. Pass it on in private.`,
  };
};

/** Description of `--account` for commands that identify a user by email address. */
export const ACCOUNT_OPTION = 'the account, if several have a user of this address';

const roleOption = (): Option =>
  new Option('--role <role>', 'what the user may do').choices([...ROLES]).makeOptionMandatory();

export function addUserCommands(program: Command): void {
  const user = program
    .command('user')
    .description('make and invite users, suspend them, change their role');
  const command = (name: string, description: string): Command =>
    user
      .command(name)
      .description(description)
      .requiredOption('--email <email>', 'address of the user');
  const named = (name: string, description: string): Command =>
    command(name, description).option('--account <id>', ACCOUNT_OPTION);
  runs(
    command('create', 'make a user of an account')
      .requiredOption('--account <id>', 'the account')
      .addOption(roleOption()),
    create,
  );
  runs(named('invite', 'make a link by which a user sets a password for the console'), invite);
  runs(
    named('suspend', 'refuse a user’s keys and sessions from the next request on'),
    setSuspended(true),
  );
  runs(named('resume', 'end the suspension of a user'), setSuspended(false));
  runs(named('role', 'give a user another role').addOption(roleOption()), setRole);
}
