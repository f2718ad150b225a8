import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { AppRequest } from '../../common/caller/app-request';
import { invalidRequest } from '../../common/error/app-error';
import { acceptedParameters, acceptsAnyParameter } from './accepted-parameters';
import { UnknownRouteController } from './unknown-route.controller';

/**
 * Refuses query parameters that a route does not take: a misspelt one must not be ignored. The
 * last of the guards, so that only who may call a route learns what it takes.
 */
@Injectable()
export class StrictQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    // What is wrong with a path that names nothing is the path.
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
