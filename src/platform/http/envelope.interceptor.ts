import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { JsonResponse } from '../../common/envelope/json-response';
import { printingNumbers, withJavaScriptNumbers } from '../../common/json/printed-numbers';
import { runInSlices } from '../fairness/event-loop-turns';
import { LARGE_BYTES } from '../load/memory-budget';
import { accessOf, changesData } from './access';
import { etagOfText } from './etag';
import { isSendable } from './sendable-response';
import { needsSlices } from './utf8-slices';
import { requestOf, responseOf } from '../load/exchange';

/**
 * Turns the result of a route into a response: an object into `{ data }`, `undefined` into 204. A
 * `JsonResponse` already has its envelope. Prints numbers as JavaScript does, unless they are final. Files and
 * streams pass unchanged. The exception filter handles errors.
 */
@Injectable()
export class EnvelopeInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    // Nest waits for a value that is a promise. `map` costs less than an operator for inner observables.
    return next.handle().pipe(map((result: unknown) => inEnvelope(context, result)));
  }
}

/**
 * Returns the response of a route with this result, which may be a promise of it.
 * @throws AppError `rate_limited` or `unavailable` if a large read has no memory left.
 */
export function inEnvelope(context: ExecutionContext, result: unknown): unknown {
  if (isSendable(result)) return result;
  const wrapped = wrap(result);
  const { text, parts } = wrapped;
  if (text === null || parts.isComplete) return wrapped;
  if (text.length > LARGE_BYTES && !changesData(accessOf(context.getHandler()))) {
    // A write reserved its memory before the commit. A read can still be rejected here.
    responseOf(context).reserve(text.length);
  }
  if (parts.hasFinalNumbers) return wrapped;
  if (!needsSlices(text)) return wrapped.withText(withJavaScriptNumbers(text));
  const accountId = requestOf(context).caller?.accountId ?? '';
  return runInSlices(accountId, (isDue) => printingNumbers(text, isDue)).then((printed) =>
    wrapped.withText(printed),
  );
}

function wrap(result: unknown): JsonResponse {
  if (result instanceof JsonResponse) return result;
  if (result === undefined) return JsonResponse.complete(204, {}, null);
  const json = JSON.stringify(result);
  return JsonResponse.printed(json, { etag: etagOfText(json) });
}
