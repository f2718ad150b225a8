import type { Json } from '../../support/api-client';
import { hasKey, keyVariable, type Caller } from './deployment';
import { operator, tryOperator } from './operator';

/** Keys and users that the setup has created, and the teardown revokes and suspends. */
export interface CreatedCallers {
  readonly keyIds: string[];
  readonly emails: string[];
}

/** Returns the address of a test user. Every run uses the same users, because none can be deleted. */
export const emailOf = (caller: string, accountId: string): string =>
  `e2e-${caller}@${accountId}.example.com`;

/** Creates the keys that are not set. */
export async function createCallers(accountId: string): Promise<CreatedCallers> {
  const created: CreatedCallers = { keyIds: [], emails: [] };
  try {
    await createMissing(accountId, created);
  } catch (error) {
    // The run ends here, so the teardown will not revoke them. The first error is the one to report.
    await revokeCallers(created).catch(() => undefined);
    throw error;
  }
  return created;
}

async function createMissing(accountId: string, created: CreatedCallers): Promise<void> {
  for (const caller of ['viewer', 'editor'] as const) {
    if (!hasKey(caller)) {
      await createKey(caller, await userOf(caller, accountId, created), created);
    }
  }
  if (!hasKey('otherAccount')) {
    await createKey('otherAccount', await ownerOfOtherAccount(accountId), created);
  }
}

async function userOf(
  role: 'viewer' | 'editor',
  accountId: string,
  created: CreatedCallers,
): Promise<string> {
  const email = emailOf(role, accountId);
  const named = ['--email', email, '--role', role];
  if (!(await tryOperator('user', 'create', '--account', accountId, ...named))) {
    await operator('user', 'resume', '--email', email);
    await operator('user', 'role', ...named);
  }
  created.emails.push(email);
  return email;
}

/** Returns the owner of another account, which has no key between runs. */
async function ownerOfOtherAccount(accountId: string): Promise<string> {
  const email = emailOf('other-account', accountId);
  await tryOperator('account', 'create', '--name', 'End-to-end tests', '--owner-email', email);
  return email;
}

async function createKey(caller: Caller, email: string, created: CreatedCallers): Promise<void> {
  const expiry = ['--name', 'end-to-end', '--expires-in', '1d'];
  const { id, key }: Json = await operator('key', 'create', '--email', email, ...expiry);
  created.keyIds.push(String(id));
  process.env[keyVariable(caller)] = String(key);
}

export async function revokeCallers({ keyIds, emails }: CreatedCallers): Promise<void> {
  for (const id of keyIds) await operator('key', 'revoke', '--id', id);
  for (const email of emails) await operator('user', 'suspend', '--email', email);
}
