import { csrfTokenOf, SESSION_COOKIE } from '../../src/auth/session/session-cookie';
import { ApiClient, type ApiResponse } from './api-client';

export const CONSOLE = '/console/api';

/** Calls the console's own routes as its pages do, with a session cookie and a CSRF token. */
export class ConsoleClient extends ApiClient {
  constructor(
    origin: string,
    /** The session token; undefined if not signed in. */
    readonly token?: string,
  ) {
    const headers = token === undefined ? {} : sessionHeaders(token);
    super(origin, undefined, CONSOLE, headers);
  }
}

export function sessionHeaders(token: string): Record<string, string> {
  return { cookie: `${SESSION_COOKIE}=${token}`, 'x-csrf-token': csrfTokenOf(token) };
}

/** Returns the session cookie that a response sets: its value and its sorted attributes. */
export function cookieOf({ headers }: ApiResponse): { token: string; attributes: string[] } {
  const cookies = headers.getSetCookie().filter((each) => each.startsWith(SESSION_COOKIE));
  expect(cookies).toHaveLength(1);
  const [pair = '', ...attributes] = (cookies[0] ?? '').split('; ');
  expect(pair).toMatch(new RegExp(`^${SESSION_COOKIE}=`));
  return { token: pair.slice(SESSION_COOKIE.length + 1), attributes: attributes.sort() };
}
