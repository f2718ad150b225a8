import { hash, timingSafeEqual } from 'node:crypto';
import type { Request } from 'express';
import { AppError } from '../../common/error/app-error';

const HEADER = 'x-csrf-token';
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * What shows that a change was asked for by the console itself: made from the session's token,
 * which pages of others cannot read, and of which it tells nothing.
 */
export function csrfTokenOf(sessionToken: string): string {
  return hash('sha256', `csrf ${sessionToken}`, 'base64url');
}

export function changesSomething({ method }: Request): boolean {
  return !SAFE_METHODS.has(method);
}

/** @throws AppError `forbidden` where `X-CSRF-Token` is not the session's. */
export function requireCsrfToken({ headers }: Request, sessionToken: string): void {
  const sent = headers[HEADER];
  const given = Buffer.from(String(sent));
  const right = Buffer.from(csrfTokenOf(sessionToken));
  if (given.length === right.length && timingSafeEqual(given, right)) return;
  throw new AppError('forbidden', 'X-CSRF-Token does not match the session.');
}

/**
 * Where the browser tells which page has sent a request, it must be one of the origin that it is
 * sent to: the one that the request names, or the service's public one.
 * @throws AppError `forbidden`
 */
export function requireSameOrigin(request: Request, publicUrl: string | undefined): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isOwn = origin === undefined || origin === publicUrl || hostOf(origin) === request.host;
  if (isOwn && (site === undefined || site === 'same-origin')) return;
  throw new AppError('forbidden', 'Only pages of the console may send this request.');
}

/** Not the scheme: a proxy in front may take the HTTPS off without being trusted. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
