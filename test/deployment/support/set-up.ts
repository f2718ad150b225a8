import { randomBytes } from 'node:crypto';
import { makeCallers } from './callers';
import { apiOf, NAME_START, origin } from './deployment';
import { hasOperator } from './operator';
import { sweepOld } from './sweep';

/** Looks whether the deployment and the key are what the suite needs, and makes other callers. */
export default async function setUp(): Promise<void> {
  process.env['E2E_RUN'] = `${NAME_START}${randomBytes(6).toString('hex')}`;
  const { status, body } = await apiOf('own')
    .get('/me')
    .catch((error: unknown) => {
      throw new Error(`${origin()} cannot be reached: ${reasonOf(error)}`, { cause: error });
    });
  if (status !== 200) throw new Error(`GET /me with E2E_API_KEY is answered by ${String(status)}.`);
  const { role, account } = body.data as { role: string; account: { id: string } };
  if (role !== 'admin' && role !== 'owner') {
    throw new Error(
      `E2E_API_KEY is of a user who is ${role}; it must be an admin's or an owner's.`,
    );
  }
  await sweepOld();
  const made = hasOperator() ? await makeCallers(account.id) : { keyIds: [], emails: [] };
  process.env['E2E_MADE'] = JSON.stringify(made);
}

/** `fetch` itself says nothing but that it failed. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error;
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? reasonOf(cause) : message;
}
