import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import { from, mergeMap, type Observable, of } from 'rxjs';
import type { AppRequest } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import { printingNumbers, withJavaScriptNumbers } from '../../common/json/printed-numbers';
import { runInSlices } from '../fairness/event-loop-turns';
import { LARGE_BYTES } from '../load/memory-budget';
import type { CountedResponse } from '../load/load';
import { accessOf, changesData } from './access';
import { etagOfText } from './etag';
import { isSent } from './sent-response';
import { needsSlices } from './utf8-slices';

/**
 * Wraps what every route returns: one object as `{ data }`, and `undefined` as 204. A `JsonResponse` has
 * its envelope; its numbers are printed as JavaScript prints them. Files and streams pass unchanged. The
 * exception filter handles errors.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      mergeMap((result: unknown) => {
        if (isSent(result)) return of(result);
        const wrapped = wrap(result);
        const { text, parts } = wrapped;
        if (text === null) return of(wrapped);
        const http = context.switchToHttp();
        if (text.length > LARGE_BYTES && !changesData(accessOf(context.getHandler()))) {
          // A write reserved its memory before the commit. A read can still be rejected here.
          http.getResponse<Response & CountedResponse>().reserve(text.length);
        }
        if (parts.hasFinalNumbers) return of(wrapped);
        if (!needsSlices(text)) return of(wrapped.withText(withJavaScriptNumbers(text)));
        const accountId = http.getRequest<AppRequest>().caller?.accountId ?? '';
        return from(
          runInSlices(accountId, (isDue) => printingNumbers(text, isDue)).then((printed) =>
            wrapped.withText(printed),
          ),
        );
      }),
    );
  }
}

function wrap(result: unknown): JsonResponse {
  if (result instanceof JsonResponse) return result;
  if (result === undefined) return JsonResponse.complete(204, {}, null);
  const json = JSON.stringify(result);
  return JsonResponse.printed(json, { etag: etagOfText(json) });
}
