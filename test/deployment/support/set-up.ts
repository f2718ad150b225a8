import { randomBytes } from 'node:crypto';
import { createCallers } from './callers';
import { apiOf, NAME_START, origin } from './deployment';
import { hasOperator } from './operator';
import { sweepOld } from './sweep';

/** Checks the deployment and its key, deletes what old runs left, and creates missing keys. */
export default async function setUp(): Promise<void> {
  process.env['E2E_RUN'] = `${NAME_START}${randomBytes(6).toString('hex')}`;
  const { status, body } = await apiOf('own')
    .get('/me')
    .catch((error: unknown) => {
      throw new Error(`${origin()} cannot be reached: ${reasonOf(error)}`, { cause: error });
    });
  if (status !== 200) throw new Error(`GET /me with E2E_API_KEY returned ${String(status)}.`);
  const { role, account } = body.data as { role: string; account: { id: string } };
  if (role !== 'admin' && role !== 'owner') {
    throw new Error(
      `E2E_API_KEY is a key of a user with the role ${role}. It must be a key of an admin or owner.`,
    );
  }
  await sweepOld();
  const created = hasOperator() ? await createCallers(account.id) : { keyIds: [], emails: [] };
  process.env['E2E_CREATED'] = JSON.stringify(created);
}

/** Returns the cause of an error of `fetch`, whose own message only says that it failed. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? reasonOf(cause) : message;
}
