import { type Command, Option } from 'commander';
import { keyAccessOf } from '../../auth/api-key/key-access';
import {
  type ApiKeyRecord,
  ApiKeyService,
  apiKeyState,
  type ApiKeyState,
} from '../../auth/api-key/api-key.service';
import { UserService } from '../../auth/user/user.service';
import { type Scope, SCOPES } from '../../common/permission/scope';
import { runs, type Work } from '../admin-command';
import { readExpiry } from '../expiry';
import { orMissing } from '../outcome';
import { readId } from './options';
import { ACCOUNT_OPTION } from './user-commands';

interface Create {
  readonly email: string;
  readonly account?: string;
  readonly name: string;
  readonly expiresIn?: Date;
  readonly scope?: readonly Scope[];
  readonly workspace?: readonly string[];
  readonly datagrid?: readonly string[];
}

const create: Work<Create> = async (app, { email, account, name, expiresIn, ...limits }) => {
  const user = await orMissing(`User ${email}`, app.get(UserService).getByEmail(email, account));
  const { id, key } = await app
    .get(ApiKeyService)
    .create(user.id, name, expiresIn ?? null, 'operator', {
      scopes: limits.scope ? [...limits.scope] : null,
      workspaceIds: limits.workspace ? [...limits.workspace] : null,
      datagridIds: limits.datagrid ? [...limits.datagrid] : null,
    });
  const validity = expiresIn ? `valid until ${expiresIn.toISOString()}` : 'does not expire';
  return {
    json: { id, key },
    text: `${key}\nKey ${id} of ${email}, ${validity}. It is shown only once.`,
  };
};

const list: Work<Pick<Create, 'email' | 'account'>> = async (app, { email, account }) => {
  const user = await orMissing(`User ${email}`, app.get(UserService).getByEmail(email, account));
  const keys = (await app.get(ApiKeyService).listOf(user.id)).map(describe);
  const lines = keys.map(
    ({ id, name, prefix, lastFour, state }) => `${id}  ${prefix}…${lastFour}  ${state}  ${name}`,
  );
  return { json: { keys }, text: lines.length > 0 ? lines.join('\n') : `${email} has no keys.` };
};

const revoke: Work<{ readonly id: string }> = async (app, { id }) => {
  await orMissing(`Key ${id}`, app.get(ApiKeyService).revoke(id, 'operator'));
  return { json: { id, state: 'revoked' }, text: `Revoked key ${id}.` };
};

interface KeyDescription {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly lastFour: string;
  /** RFC 3339, like the other times in this object. */
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
  readonly state: ApiKeyState;
  readonly scopes: readonly Scope[] | null;
  readonly workspaceIds: readonly string[] | null;
  readonly datagridIds: readonly string[] | null;
}

function describe(key: ApiKeyRecord): KeyDescription {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    lastFour: key.lastFour,
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    state: apiKeyState(key),
    ...keyAccessOf(key),
  };
}

/** Collects the values of an option that can be given several times. */
const collectId = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  readId(text),
];

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('create, list and revoke API keys');
  runs(
    key
      .command('create')
      .description('create an API key of a user and print it, once')
      .requiredOption('--email <email>', 'email address of the user')
      .option('--account <id>', ACCOUNT_OPTION)
      .option('--name <name>', 'name of the key', 'Created by an operator')
      .option(
        '--expires-in <duration>',
        'lifetime, such as 30d (units: s, m, h, d, w); default: does not expire',
        (text) => readExpiry(text),
      )
      .addOption(
        new Option('--scope <scopes...>', 'scopes of the key; default: all of the user').choices([
          ...SCOPES,
        ]),
      )
      .option('--workspace <ids...>', 'workspaces that the key is limited to', collectId)
      .option('--datagrid <ids...>', 'datagrids that the key is limited to', collectId),
    create,
  );
  runs(
    key
      .command('list')
      .description('list the API keys of a user, oldest first')
      .requiredOption('--email <email>', 'email address of the user')
      .option('--account <id>', ACCOUNT_OPTION),
    list,
  );
  runs(
    key
      .command('revoke')
      .description('revoke an API key')
      .requiredOption('--id <id>', 'id of the key (not the key itself)'),
    revoke,
  );
}
