import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import {
  readCookie,
  readSessionToken,
  requireSameOrigin,
  SESSION_COOKIE,
} from '../auth/session/session-cookie';
import type { SignInClient } from '../auth/session/session.service';
import { clientAddress } from '../platform/http/client-address';
import { requestOf, responseOf } from '../platform/load/exchange';

const SIGN_IN_COOKIE = 'datagrid_sign_in';
const SIGN_IN_LIFETIME_MS = 10 * 60_000;

/** A browser's request and response, for session handling. */
export class Visit {
  constructor(
    private readonly request: Request,
    private readonly response: Response,
  ) {}

  /** The session token; `null` if there is none. */
  get token(): string | null {
    return readSessionToken(this.request);
  }

  /** User agent and client address, as sessions and the audit log store them. */
  get client(): SignInClient {
    const userAgent = this.request.headers['user-agent'] ?? null;
    return { userAgent, address: shownAddress(clientAddress(this.request)) };
  }

  /** Origin at which the browser reached the console. */
  get origin(): string {
    return `${this.request.protocol}://${this.request.host}`;
  }

  /**
   * @throws AppError `forbidden` if the browser reports that a page of another origin sent the
   *   request.
   */
  requireSameOrigin(publicUrl: string | undefined): void {
    requireSameOrigin(this.request, publicUrl);
  }

  /** Sets the session cookie. */
  keep(token: string, expires: Date, publicUrl: string | undefined): void {
    this.response.cookie(SESSION_COOKIE, token, { ...this.attributes(publicUrl), expires });
  }

  /** Clears the session cookie. */
  forget(publicUrl: string | undefined): void {
    this.response.clearCookie(SESSION_COOKIE, this.attributes(publicUrl));
  }

  /** Token of a sign-in by a provider that this browser has begun; `null` if there is none. */
  get signInToken(): string | null {
    return readCookie(this.request, SIGN_IN_COOKIE);
  }

  /** Sets the cookie of a sign-in by a provider. */
  keepSignIn(token: string, publicUrl: string | undefined): void {
    const attributes = { ...this.attributes(publicUrl), sameSite: 'strict' } as const;
    this.response.cookie(SIGN_IN_COOKIE, token, { ...attributes, maxAge: SIGN_IN_LIFETIME_MS });
  }

  /** Clears the cookie of a sign-in by a provider. */
  forgetSignIn(publicUrl: string | undefined): void {
    const attributes = { ...this.attributes(publicUrl), sameSite: 'strict' } as const;
    this.response.clearCookie(SIGN_IN_COOKIE, attributes);
  }

  /** Sets `secure` also by PUBLIC_URL: a proxy may terminate TLS without being trusted. */
  private attributes(publicUrl: string | undefined): CookieOptions {
    const secure = this.request.secure || publicUrl?.startsWith('https:') === true;
    return { httpOnly: true, sameSite: 'lax', path: '/', secure };
  }
}

/** The current request as a `Visit`. */
export const CurrentVisit = createParamDecorator((_: unknown, context: ExecutionContext): Visit => {
  return new Visit(requestOf(context), responseOf(context));
});

const MAPPED = /^::ffff:(?=\d+\.)/i;

/**
 * Formats an address for display. IPv4-mapped addresses of dual-stack sockets are shown as IPv4.
 */
export function shownAddress(address: string): string {
  return address.replace(MAPPED, '');
}
