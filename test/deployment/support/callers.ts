import type { Json } from '../../support/api-client';
import { hasKey, keyVariable, type Caller } from './deployment';
import { operator, tryOperator } from './operator';

/** What the set-up has made by the operator's access, and the tear-down takes back. */
export interface Made {
  readonly keyIds: string[];
  readonly emails: string[];
}

/** Users of the tests, the same in every run: nothing removes a user for good. */
export const emailOf = (caller: string, accountId: string): string =>
  `e2e-${caller}@${accountId}.example.com`;

/** Makes the keys that are not given. */
export async function makeCallers(accountId: string): Promise<Made> {
  const made: Made = { keyIds: [], emails: [] };
  try {
    await makeMissing(accountId, made);
  } catch (error) {
    // Nothing else does: the run ends here. What really happened matters more.
    await takeBack(made).catch(() => undefined);
    throw error;
  }
  return made;
}

async function makeMissing(accountId: string, made: Made): Promise<void> {
  for (const caller of ['viewer', 'editor'] as const) {
    if (!hasKey(caller)) await give(caller, await userOf(caller, accountId, made), made);
  }
  if (!hasKey('stranger')) await give('stranger', await strangerOf(accountId), made);
}

async function userOf(role: 'viewer' | 'editor', accountId: string, made: Made): Promise<string> {
  const email = emailOf(role, accountId);
  const named = ['--email', email, '--role', role];
  if (!(await tryOperator('user', 'create', '--account', accountId, ...named))) {
    await operator('user', 'resume', '--email', email);
    await operator('user', 'role', ...named);
  }
  made.emails.push(email);
  return email;
}

/** The owner of another account, which stays without a key between runs. */
async function strangerOf(accountId: string): Promise<string> {
  const email = emailOf('stranger', accountId);
  await tryOperator('account', 'create', '--name', 'End-to-end tests', '--owner-email', email);
  return email;
}

async function give(caller: Caller, email: string, made: Made): Promise<void> {
  const expiry = ['--name', 'end-to-end', '--expires-in', '1d'];
  const { id, key }: Json = await operator('key', 'create', '--email', email, ...expiry);
  made.keyIds.push(String(id));
  process.env[keyVariable(caller)] = String(key);
}

export async function takeBack({ keyIds, emails }: Made): Promise<void> {
  for (const id of keyIds) await operator('key', 'revoke', '--id', id);
  for (const email of emails) await operator('user', 'suspend', '--email', email);
}
