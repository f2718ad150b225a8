import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request } from 'express';
import { AppError } from '../../common/error/app-error';
import { isSecretToken } from '../secret-token';

export const SESSION_COOKIE = 'datagrid_session';

/** Returns the session token of a request; `null` if the request has none. */
export const readSessionToken = (request: IncomingMessage): string | null =>
  readCookie(request, SESSION_COOKIE);

/**
 * Returns the token in a cookie of a request. Returns `null` if the request has none, or more than one: an attacker
 * who can set a cookie from a neighboring host must not choose the token.
 */
export function readCookie({ headers }: IncomingMessage, name: string): string | null {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [token = ''] = values;
  return values.length === 1 && isSecretToken(token) ? token : null;
}

const HEADER = 'x-csrf-token';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns the token that proves that a change was requested by the console itself. It is derived
 * from the session token, which other sites' pages cannot read, and does not reveal it.
 */
export function csrfTokenOf(sessionToken: string): string {
  return hash('sha256', `csrf ${sessionToken}`, 'base64url');
}

export function changesSomething({ method }: Request): boolean {
  return !SAFE_METHODS.has(method);
}

/** @throws AppError `forbidden` if `X-CSRF-Token` does not match the session. */
export function requireCsrfToken({ headers }: Request, sessionToken: string): void {
  const sent = headers[HEADER];
  const given = Buffer.from(String(sent));
  const right = Buffer.from(csrfTokenOf(sessionToken));
  if (given.length === right.length && timingSafeEqual(given, right)) return;
  throw new AppError('forbidden', 'X-CSRF-Token does not match the session.');
}

/**
 * Checks that the page that sent the request has the service's origin, if the browser reports one.
 * The origin is either that of the request or PUBLIC_URL.
 * @throws AppError `forbidden`
 */
export function requireSameOrigin(request: Request, publicUrl: string | undefined): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isOwn = origin === undefined || origin === publicUrl || hostOf(origin) === request.host;
  if (isOwn && (site === undefined || site === 'same-origin')) return;
  throw new AppError('forbidden', 'Only pages of the console may send this request.');
}

/** Ignores the scheme: a proxy may terminate TLS without being trusted. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
