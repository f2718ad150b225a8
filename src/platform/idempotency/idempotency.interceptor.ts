import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import type { AppRequest, Caller } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import { ERROR_STATUS } from '../../common/error/app-error';
import { AppConfig } from '../config/app-config';
import { DatabaseGate } from '../database/database-gate';
import { accessOf, changesData, isForSessions } from '../http/access';
import { BodyReader } from '../http/body-reader';
import { withDatabasePermit, entersGateWithoutBody } from '../http/database-permit';
import { takesBody } from '../http/json-body';
import type { CountedResponse } from '../load/load';
import { codeOfPrinted, printError } from '../http/exception.filter';
import {
  claim,
  type FirstResponse,
  handlesOwnIdempotencyKey,
  readIdempotencyKey,
  withoutSecret,
} from './claim';
import { IdempotencyService } from './idempotency.service';

/**
 * Wraps every route. It acquires the permit of requests without a body at the database gate, except
 * for routes with `EnterGateInService`. A change with an `Idempotency-Key` runs once, and its response is stored as it is sent.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly reader: BodyReader;

  constructor(
    config: AppConfig,
    private readonly idempotency: IdempotencyService,
    private readonly gate: DatabaseGate,
  ) {
    this.reader = new BodyReader(config.maxBodyBytes);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<AppRequest>();
    const { caller } = request;
    const handle = (): Observable<unknown> => next.handle();
    if (!caller) return handle();
    const handler = context.getHandler();
    const response = http.getResponse<Response & CountedResponse>();
    if (!isKeyed(request, handler)) {
      if (!entersGateWithoutBody(handler)) return handle();
      return withDatabasePermit(this.gate, caller, response, handle);
    }
    return defer(() => this.response(request, response, caller, handler, handle));
  }

  private async response(
    request: AppRequest,
    response: Response & CountedResponse,
    caller: Caller,
    handler: object,
    handle: () => Observable<unknown>,
  ): Promise<JsonResponse> {
    const key = readIdempotencyKey(request);
    // Runs before the transaction, which a slow client must not hold open.
    const body = await this.reader.receive(request, response);
    const claimed = claim(key, caller, request, body);
    if (takesBody(handler)) {
      // Also runs before the transaction: parsing may take long.
      request.body = await this.reader.read(request, response);
      request.isBodyParsed = true;
      delete request.bodyBytes;
    }
    // Enters the gate before the transaction: waiting for a permit inside it would hold a
    // connection.
    request.hasDatabasePermit = true;
    const { response: first, isReplayed } = await this.gate.run(caller.accountId, () =>
      this.idempotency.once(
        claimed,
        () => firstResponse(handle, request, response, handler),
        (error) => ({
          status: ERROR_STATUS[error.code],
          headers: { ...error.headers },
          body: printError(error, request.requestId),
        }),
      ),
    );
    const code = first.status >= 400 ? codeOfPrinted(first.body) : undefined;
    if (code !== undefined) request.errorCode = code;
    // A rejected change may have set this header already. A replay would not have it.
    response.removeHeader(PREFERENCE);
    const headers = { ...first.headers, ...(isReplayed && { 'Idempotent-Replayed': 'true' }) };
    return JsonResponse.complete(first.status, headers, first.body);
  }
}

/** Returns whether this interceptor handles the idempotency key of a request. */
function isKeyed({ headers }: AppRequest, handler: object): boolean {
  if (headers['idempotency-key'] === undefined) return false;
  if (!changesData(accessOf(handler)) || handlesOwnIdempotencyKey(handler)) return false;
  // Responses of the console's own routes may contain a key or a link, which are never stored.
  return !isForSessions(handler);
}

const PREFERENCE = 'Preference-Applied';

/** Returns whether the request asked for a dry run. Other routes have no such property. */
function isDryRun(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'dryRun' in body && body.dryRun === true;
}

/** Runs the rest of the request. Called again if the transaction is retried. */
async function firstResponse(
  handle: () => Observable<unknown>,
  request: AppRequest,
  response: Response & CountedResponse,
  handler: object,
): Promise<FirstResponse> {
  const { text, parts } = (await lastValueFrom(handle())) as JsonResponse;
  // Not every service reserves memory. This is the last chance before the commit.
  response.reserve(text?.length ?? 0);
  const { status = response.statusCode, etag } = parts;
  const preference = response.getHeader(PREFERENCE);
  const headers = {
    ...(etag !== undefined && { ETag: etag }),
    ...(typeof preference === 'string' && { [PREFERENCE]: preference }),
  };
  const isKept = !isDryRun(request.body);
  return { status, headers, body: text, isKept, storedBody: withoutSecret(handler, text) };
}
