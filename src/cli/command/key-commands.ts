import type { Command } from 'commander';
import { ApiKeyService, type ApiKeyRecord } from '../../auth/api-key/api-key.service';
import { apiKeyState, type ApiKeyState } from '../../auth/api-key/api-key-state';
import { UserService } from '../../auth/user/user.service';
import { runs, type Work } from '../admin-command';
import { readExpiry } from '../expiry';
import { orMissing } from '../missing';
import { ACCOUNT_OPTION } from './user-commands';

interface Create {
  readonly email: string;
  readonly account?: string;
  readonly name: string;
  readonly expiresIn?: Date;
}

const create: Work<Create> = async (app, { email, account, name, expiresIn }) => {
  const user = await orMissing(`user ${email}`, app.get(UserService).getByEmail(email, account));
  const { id, key } = await app
    .get(ApiKeyService)
    .create(user.id, name, expiresIn ?? null, 'operator');
  const until = expiresIn ? `until ${expiresIn.toISOString()}` : 'until it is revoked';
  return { json: { id, key }, text: `${key}\nKey ${id} of ${email}, good ${until}. Keep it.` };
};

const list: Work<Pick<Create, 'email' | 'account'>> = async (app, { email, account }) => {
  const user = await orMissing(`user ${email}`, app.get(UserService).getByEmail(email, account));
  const keys = (await app.get(ApiKeyService).listOf(user.id)).map(describe);
  const lines = keys.map(
    ({ id, name, prefix, lastFour, state }) => `${id}  ${prefix}…${lastFour}  ${state}  ${name}`,
  );
  return { json: { keys }, text: lines.length > 0 ? lines.join('\n') : `${email} has no keys.` };
};

const revoke: Work<{ readonly id: string }> = async (app, { id }) => {
  await orMissing(`key ${id}`, app.get(ApiKeyService).revoke(id, 'operator'));
  return { json: { id, state: 'revoked' }, text: `Key ${id} is revoked.` };
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
  };
}

export function addKeyCommands(program: Command): void {
  const key = program.command('key').description('make, list and revoke API keys');
  runs(
    key
      .command('create')
      .description('make a key of a user; it is printed this once')
      .requiredOption('--email <email>', 'address of the user')
      .option('--account <id>', ACCOUNT_OPTION)
      .option('--name <name>', 'to tell the key from others', 'Made by an operator')
      .option(
        '--expires-in <duration>',
        'such as 30d (s, m, h, d, w); for ever if absent',
        (text) => readExpiry(text),
      ),
    create,
  );
  runs(
    key
      .command('list')
      .description('list the keys of a user, the oldest first')
      .requiredOption('--email <email>', 'address of the user')
      .option('--account <id>', ACCOUNT_OPTION),
    list,
  );
  runs(
    key
      .command('revoke')
      .description('refuse a key for good')
      .requiredOption('--id <id>', 'the key’s id, not the key'),
    revoke,
  );
}
