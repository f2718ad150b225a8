import { InvalidArgumentError, Option, type Command } from 'commander';
import { AccountService } from '../../auth/account.service';
import { FactorService } from '../../auth/factor/factor.service';
import { InviteService } from '../../auth/invite/invite.service';
import { SERVICE_NAME, SERVICE_NAME_RULE, UserService } from '../../auth/user/user.service';
import { ROLES, type Role, SERVICE_ROLES } from '../../common/permission/permission';
import { runs, type Work } from '../admin-command';
import { orMissing } from '../outcome';

interface Create {
  readonly account: string;
  readonly email: string;
  readonly role: Role;
}

const create: Work<Create> = async (app, { account, email, role }) => {
  await orMissing(`Account ${account}`, app.get(AccountService).get(account));
  const { id } = await app.get(UserService).create(account, email, role, 'operator');
  return { json: { userId: id }, text: `Created user ${id}: ${email}, ${role}.` };
};

interface CreateService {
  readonly account: string;
  readonly name: string;
  readonly role: Role;
}

const createService: Work<CreateService> = async (app, { account, name, role }) => {
  await orMissing(`Account ${account}`, app.get(AccountService).get(account));
  const created = app.get(UserService).createService(account, name, role, 'operator');
  const { id, email } = await created;
  return {
    json: { userId: id, email },
    text: `Created service account ${id}: ${email}, ${role}. Create its keys with --email ${email}.`,
  };
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
    const { id } = await orMissing(`User ${email}`, change);
    return {
      json: { userId: id, suspended },
      text: `User ${email} is ${suspended ? 'suspended' : 'active'}.`,
    };
  };

const setRole: Work<Named & { readonly role: Role }> = async (app, { email, role, account }) => {
  const change = app.get(UserService).setRole(email, role, account);
  const { id } = await orMissing(`User ${email}`, change);
  return { json: { userId: id, role }, text: `User ${email} has the role ${role}.` };
};

const invite: Work<Named> = async (app, { email, account }) => {
  const user = await orMissing(`User ${email}`, app.get(UserService).getByEmail(email, account));
  const { url, expiresAt } = await app.get(InviteService).create(user, 'operator');
  const until = expiresAt.toISOString();
  return {
    json: { url, expiresAt: until },
    text: `${url}\nInvite link for ${email}. It works once, until ${until}. Send it privately.`,
  };
};

const removeFactors: Work<Named> = async (app, { email, account }) => {
  const user = await orMissing(`User ${email}`, app.get(UserService).getByEmail(email, account));
  const removed = await app.get(FactorService).remove(user, 'operator');
  const text = removed
    ? `The second factor of ${email} is removed.`
    : `User ${email} has no second factor.`;
  return { json: { userId: user.id, removed }, text };
};

/** Description of `--account` for commands that identify a user by email address. */
export const ACCOUNT_OPTION =
  'id of the account; required if several accounts have a user with this address';

/** @throws InvalidArgumentError if a service account cannot have the name. */
function readServiceName(text: string): string {
  if (SERVICE_NAME.test(text)) return text;
  throw new InvalidArgumentError(`The name ${SERVICE_NAME_RULE}.`);
}

const roleOption = (roles: readonly Role[] = ROLES): Option =>
  new Option('--role <role>', 'role of the user').choices(roles).makeOptionMandatory();

export function addUserCommands(program: Command): void {
  const user = program
    .command('user')
    .description(
      'create, invite, suspend and resume users, change their role, remove second factors',
    );
  const command = (name: string, description: string): Command =>
    user
      .command(name)
      .description(description)
      .requiredOption('--email <email>', 'email address of the user');
  const named = (name: string, description: string): Command =>
    command(name, description).option('--account <id>', ACCOUNT_OPTION);
  runs(
    command('create', 'create a user of an account')
      .requiredOption('--account <id>', 'id of the account')
      .addOption(roleOption()),
    create,
  );
  runs(
    user
      .command('create-service')
      .description('create a service account: a user whose keys do not depend on a person')
      .requiredOption('--account <id>', 'id of the account')
      .requiredOption('--name <name>', 'lowercase letters, digits and hyphens', readServiceName)
      .addOption(roleOption(SERVICE_ROLES)),
    createService,
  );
  runs(named('invite', 'create a link with which a user sets a password for the console'), invite);
  runs(
    named('suspend', 'suspend a user: reject their keys and sessions from the next request on'),
    setSuspended(true),
  );
  runs(named('resume', 'resume a suspended user'), setSuspended(false));
  runs(
    named('remove-factors', 'remove the second factor of a user who has lost it'),
    removeFactors,
  );
  runs(named('role', 'change the role of a user').addOption(roleOption()), setRole);
}
