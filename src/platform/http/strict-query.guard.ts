import { parse } from 'node:querystring';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AppRequest } from '../../common/caller/app-request';
import { invalidRequest } from '../../common/error/app-error';
import { uncheckedConditions } from './access';
import { acceptedParameters, acceptsAnyParameter, isDecodable } from './query';
import { RouteTable } from './route-table';
import { UnknownRouteController } from './unknown-route.controller';
import { requestOf } from '../load/exchange';

/**
 * Rejects query parameters that a route does not accept, so that a misspelled one is not ignored. First,
 * it rejects methods that the path does not accept, although a route with a parameter matches it, and
 * preconditions that the route does not check.
 * Runs as the last guard, so that only callers who may call a route learn its parameters.
 */
@Injectable()
export class StrictQueryGuard implements CanActivate {
  constructor(private readonly routes: RouteTable) {}

  canActivate(context: ExecutionContext): boolean {
    // On an unknown route, the path is the error, not the parameters.
    if (context.getClass() === UnknownRouteController) return true;
    const request = requestOf(context);
    const rejection = this.routes.rejectionOfWord(request);
    if (rejection) throw rejection;
    rejectUnchecked(context.getHandler(), request.headers);
    const names = Object.keys(request.query);
    if (names.length === 0) return true;
    if (acceptsAnyParameter(context.getHandler())) return true;
    const undecodable = undecodableParameters(request.url);
    if (undecodable.length > 0) {
      const code = 'invalid_format';
      const message = 'must be UTF-8, with each % followed by two hexadecimal digits';
      throw invalidRequest(undecodable.map((field) => ({ field, code, message })));
    }
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

function rejectUnchecked(handler: object, headers: AppRequest['headers']): void {
  const unchecked = uncheckedConditions(handler, headers);
  if (unchecked.length === 0) return;
  const code = 'incompatible_parameters';
  const message = 'is not checked by this route; leave it out';
  throw invalidRequest(unchecked.map((field) => ({ field, code, message })));
}

/**
 * Returns the names of query parameters that are not UTF-8. Node would read them with replacement
 * characters, which a filter would then compare and an import store.
 */
function undecodableParameters(url: string): string[] {
  if (!url.includes('%')) return [];
  const parameters = url.slice(url.indexOf('?') + 1).split('&');
  return parameters
    .filter((parameter) => !isDecodable(parameter))
    .map((parameter) => Object.keys(parse(parameter))[0] ?? '');
}
