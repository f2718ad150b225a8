import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { AppRequest } from '../../common/caller/app-request';
import { invalidRequest } from '../../common/error/app-error';
import { BodyReader, hasBody } from './body-reader';
import { SMALL_BODY_BYTES, takesBody } from './json-body';
import { UnknownRouteController } from './unknown-route.controller';
import { requestOf, responseOf } from '../load/exchange';

/** An empty body, as clients send it that send a body with every request. */
const NO_CONTENT = /^\s*(?:\{\s*\}|null)?\s*$/;

/**
 * Rejects the body of a request to a route that reads none, so that what it asks for is not ignored. Runs
 * after the other guards, so that only callers who may call a route can send it a body.
 */
@Injectable()
export class NoBodyGuard implements CanActivate {
  private readonly reader = new BodyReader(SMALL_BODY_BYTES);

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = requestOf(context);
    if (!hasBody(request) || takesBody(context.getHandler())) return true;
    // On an unknown route, the path is the error.
    if (context.getClass() === UnknownRouteController) return true;
    return this.requireEmpty(request, responseOf(context));
  }

  private async requireEmpty(request: AppRequest, response: Response): Promise<boolean> {
    const bytes = await this.reader.receive(request, response);
    if (bytes === undefined || NO_CONTENT.test(bytes.toString('latin1'))) return true;
    const message = 'must be empty: this route takes none';
    throw invalidRequest([{ field: 'body', code: 'unknown_property', message }]);
  }
}
