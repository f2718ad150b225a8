import type { IncomingMessage } from 'node:http';
import { isSecretToken } from '../secret-token';

export const SESSION_COOKIE = 'datagrid_session';

/**
 * Returns the session token of a request. Returns `null` if the request has none, or more than one:
 * an attacker who can set a cookie from a neighboring host must not choose the session.
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
