import type { NextFunction, Request, Response } from 'express';
import { isProbe } from '../../common/caller/is-probe';
import { AppError } from '../../common/error/app-error';

/**
 * Refuses what came by plain HTTP: neither to this process nor, as a trusted proxy says, to the
 * proxy by HTTPS. It is not redirected: a client that is led on sends its key in clear each time,
 * and nobody notices.
 */
export function requireHttps(request: Request, response: Response, next: NextFunction): void {
  if (request.secure || isProbe(request.path)) {
    next();
    return;
  }
  // Over plain HTTP it is not to be said (RFC 6797, 7.2).
  response.removeHeader('Strict-Transport-Security');
  next(
    new AppError(
      'https_required',
      'HTTPS is required. Revoke any API key that you sent over plain HTTP.',
    ),
  );
}
