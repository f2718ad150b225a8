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

const setSuspended =
  (suspended: boolean): Work<{ readonly email: string }> =>
  async (app, { email }) => {
    const change = app.get(UserService).setSuspended(email, suspended);
    const { id } = await orMissing(`user ${email}`, change);
    return {
      json: { userId: id, suspended },
      text: `User ${email} is ${suspended ? 'suspended' : 'active'}.`,
    };
  };

const setRole: Work<{ readonly email: string; readonly role: Role }> = async (
  app,
  { email, role },
) => {
  const change = app.get(UserService).setRole(email, role);
  const { id } = await orMissing(`user ${email}`, change);
  return { json: { userId: id, role }, text: `User ${email} is now ${role}.` };
};

const invite: Work<{ readonly email: string }> = async (app, { email }) => {
  const user = await orMissing(`user ${email}`, app.get(UserService).getByEmail(email));
  const { url, expiresAt } = await app.get(InviteService).create(user, 'operator');
  const until = expiresAt.toISOString();
  return {
    json: { url, expiresAt: until },
    text: `${url}\nFor ${email} to set a password by, once, until ${until}. Pass it on in private.`,
  };
};

const roleOption = (): Option =>
  new Option('--role <role>', 'what the user may do').choices([...ROLES]).makeOptionMandatory();

export function addUserCommands(program: Command): void {
  const user = program
    .command('user')
    .description('make and invite users, suspend them, change their role');
  const named = (name: string, description: string): Command =>
    user
      .command(name)
      .description(description)
      .requiredOption('--email <email>', 'address of the user');
  runs(
    named('create', 'make a user of an account')
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
