import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { AppRequest } from '../../common/caller/app-request';
import { invalidRequest } from '../../common/error/app-error';
import { acceptedParameters, acceptsAnyParameter } from './accepted-parameters';
import { UnknownRouteController } from './unknown-route.controller';

/**
 * Rejects query parameters that a route does not accept, so that a misspelled one is not ignored.
 * Runs as the last guard, so that only callers who may call a route learn its parameters.
 */
@Injectable()
export class StrictQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    // On an unknown route, the path is the error, not the parameters.
    if (context.getClass() === UnknownRouteController) return true;
    const names = Object.keys(context.switchToHttp().getRequest<AppRequest>().query);
    if (names.length === 0) return true;
    if (acceptsAnyParameter(context.getHandler())) return true;
    const accepted = acceptedParameters(context.getHandler());
    const unknown = names.filter((name) => !accepted.includes(name));
    if (unknown.length === 0) return true;
    const message =
      accepted.length === 0
        ? 'is not a known parameter; this route takes none'
        : `is not a known parameter; expected one of: ${accepted.join(', ')}`;
    throw invalidRequest(unknown.map((field) => ({ field, code: 'unknown_parameter', message })));
  }
}
