import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { CookieOptions, Request, Response } from 'express';
import { requireSameOrigin } from '../auth/session/csrf';
import { readSessionToken, SESSION_COOKIE } from '../auth/session/session-cookie';
import type { SignInPlace } from '../auth/session/session.service';
import { clientAddress } from '../platform/http/client-address';
import { shownAddress } from './shown-address';

/** A browser's request, as far as sessions go. */
export class Visit {
  constructor(
    private readonly request: Request,
    private readonly response: Response,
  ) {}

  /** The session's token; `null` where there is none. */
  get token(): string | null {
    return readSessionToken(this.request);
  }

  /** As sessions and the audit log keep and show it. */
  get place(): SignInPlace {
    const userAgent = this.request.headers['user-agent'] ?? null;
    return { userAgent, address: shownAddress(clientAddress(this.request)) };
  }

  /** Where the browser has found the console. */
  get origin(): string {
    return `${this.request.protocol}://${this.request.host}`;
  }

  /** @throws AppError `forbidden` where the browser says that another's page has sent this. */
  requireSameOrigin(publicUrl: string | undefined): void {
    requireSameOrigin(this.request, publicUrl);
  }

  /** Has the browser keep a session. */
  keep(token: string, expires: Date, publicUrl: string | undefined): void {
    this.response.cookie(SESSION_COOKIE, token, { ...this.attributes(publicUrl), expires });
  }

  /** Has the browser forget its session. */
  forget(publicUrl: string | undefined): void {
    this.response.clearCookie(SESSION_COOKIE, this.attributes(publicUrl));
  }

  /** A proxy in front may take the HTTPS off without being trusted; then the setting tells. */
  private attributes(publicUrl: string | undefined): CookieOptions {
    const secure = this.request.secure || publicUrl?.startsWith('https:') === true;
    return { httpOnly: true, sameSite: 'lax', path: '/', secure };
  }
}

/** The request as a visit. */
export const CurrentVisit = createParamDecorator((_: unknown, context: ExecutionContext): Visit => {
  const http = context.switchToHttp();
  return new Visit(http.getRequest<Request>(), http.getResponse<Response>());
});
