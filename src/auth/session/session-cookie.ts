import type { IncomingMessage } from 'node:http';
import { isSecretToken } from '../secret-token';

export const SESSION_COOKIE = 'datagrid_session';

/**
 * The session's token that a request carries. `null` where it carries none, or more than one: who
 * could plant a cookie from a neighbouring host must not choose the session.
 */
export function readSessionToken({ headers }: IncomingMessage): string | null {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${SESSION_COOKIE}=`))
    .map((pair) => pair.slice(SESSION_COOKIE.length + 1));
  const [token = ''] = values;
  return values.length === 1 && isSecretToken(token) ? token : null;
}
