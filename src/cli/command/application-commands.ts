import type { Command } from 'commander';
import { keyAccessOf } from '../../auth/api-key/key-access';
import type { GrantRecord } from '../../auth/oauth/grant.repository';
import { OauthGrantService } from '../../auth/oauth/grant.service';
import { UserService } from '../../auth/user/user.service';
import { runs, type Work } from '../admin-command';
import { orMissing } from '../outcome';
import { readId } from './options';
import { ACCOUNT_OPTION } from './user-commands';

interface List {
  readonly email: string;
  readonly account?: string;
}

const list: Work<List> = async (app, { email, account }) => {
  const user = await orMissing(`User ${email}`, app.get(UserService).getByEmail(email, account));
  const found = await app.get(OauthGrantService).listOfUser(user.id);
  const lines = found.map(({ id, name, clientId, expiresAt }) =>
    [id, expiresAt.toISOString(), name, clientId].join('  '),
  );
  const none = `${email} has authorized no applications.`;
  return {
    json: { applications: found.map(describe) },
    text: lines.length > 0 ? lines.join('\n') : none,
  };
};

const revoke: Work<{ readonly id: string }> = async (app, { id }) => {
  await orMissing(`Application ${id}`, app.get(OauthGrantService).revoke(id, 'operator', {}));
  return { json: { id, state: 'revoked' }, text: `Revoked the access of application ${id}.` };
};

function describe(grant: GrantRecord): object {
  const { id, name, clientId, documentHost, redirectUri, audience } = grant;
  return {
    ...{ id, name, clientId, documentHost, redirectUri, audience },
    ...keyAccessOf(grant),
    createdAt: grant.createdAt.toISOString(),
    lastUsedAt: grant.lastUsedAt?.toISOString() ?? null,
    expiresAt: grant.expiresAt.toISOString(),
  };
}

export function addApplicationCommands(program: Command): void {
  const application = program
    .command('application')
    .description('list and revoke the access of applications that users have authorized');
  runs(
    application
      .command('list')
      .description('list the applications that a user has authorized, newest first')
      .requiredOption('--email <email>', 'email address of the user')
      .option('--account <id>', ACCOUNT_OPTION),
    list,
  );
  runs(
    application
      .command('revoke')
      .description('revoke the access of an application')
      .requiredOption('--id <id>', 'id of the grant, as `application list` prints it', readId),
    revoke,
  );
}
