import type { NextFunction, Request, Response } from 'express';
import { isProbe } from '../../common/caller/is-probe';
import { AppError } from '../../common/error/app-error';

/**
 * Rejects requests over plain HTTP: those that reached neither this process nor, according to a
 * trusted proxy, the proxy over HTTPS. It does not redirect them: a redirected client would send
 * its key in clear text each time, unnoticed.
 */
export function requireHttps(request: Request, response: Response, next: NextFunction): void {
  if (request.secure || isProbe(request.path)) {
    next();
    return;
  }
  // This header must not be sent over plain HTTP (RFC 6797, 7.2).
  response.removeHeader('Strict-Transport-Security');
  next(
    new AppError(
      'https_required',
      'HTTPS is required. Revoke any API key that you sent over plain HTTP.',
    ),
  );
}
