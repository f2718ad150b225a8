import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Response } from 'express';
import { defer, lastValueFrom, type Observable } from 'rxjs';
import type { AppRequest } from '../../common/caller/app-request';
import type { Caller } from '../../common/caller/caller';
import { ERROR_STATUS } from '../../common/error/error-code';
import { AppConfig } from '../config/app-config';
import { DatabaseGate } from '../database/database-gate';
import { accessOf, changesData, isForSessions } from '../http/access';
import { BodyReader } from '../http/body-reader';
import { inDatabasePlace, passesGateAtOnce } from '../http/database-place';
import { EnvelopeInterceptor } from '../http/envelope.interceptor';
import { takesBody } from '../http/json-body';
import type { CountedResponse } from '../load/load';
import { printError } from '../http/error-body';
import { RawResponse } from '../http/raw-response';
import { claim, readIdempotencyKey } from './claim';
import { IdempotencyService } from './idempotency.service';
import type { FirstAnswer } from './stored-response';
import { keepsOwnKeys } from './request-key';

/**
 * Runs a change with an `Idempotency-Key` once. It wraps the envelope interceptor to read the
 * response as it is sent; without the header, only the envelope runs. It calls the envelope itself,
 * because another Nest interceptor would cost time on every request.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly reader: BodyReader;

  constructor(
    config: AppConfig,
    private readonly idempotency: IdempotencyService,
    private readonly envelope: EnvelopeInterceptor,
    private readonly gate: DatabaseGate,
  ) {
    this.reader = new BodyReader(config.maxBodyBytes);
  }

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<AppRequest>();
    const { caller } = request;
    const enveloped = (): Observable<unknown> => this.envelope.intercept(context, next);
    if (!caller) return enveloped();
    const handler = context.getHandler();
    const response = http.getResponse<Response & CountedResponse>();
    if (!isKeyed(request, handler)) {
      if (!passesGateAtOnce(handler)) return enveloped();
      return inDatabasePlace(this.gate, caller, response, enveloped);
    }
    return defer(() => this.answer(request, response, caller, takesBody(handler), enveloped));
  }

  private async answer(
    request: AppRequest,
    response: Response & CountedResponse,
    caller: Caller,
    isBodyTaken: boolean,
    enveloped: () => Observable<unknown>,
  ): Promise<RawResponse> {
    const key = readIdempotencyKey(request);
    // Runs before the transaction, which a slow client must not hold open.
    const body = await this.reader.receive(request, response);
    const claimed = claim(key, caller, request, body);
    if (isBodyTaken) {
      // Also runs before the transaction: parsing may take long.
      request.body = await this.reader.read(request, response);
      request.isBodyParsed = true;
      delete request.bodyBytes;
    }
    // Passes the gate before the transaction: waiting for a place inside it would hold a
    // connection.
    request.hasDatabasePlace = true;
    const { answer, isReplayed } = await this.gate.run(caller.accountId, () =>
      this.idempotency.once(
        claimed,
        () => firstAnswer(enveloped, request, response),
        (error) => ({
          status: ERROR_STATUS[error.code],
          headers: { ...error.headers },
          body: printError(error, request.requestId),
        }),
      ),
    );
    const headers = { ...answer.headers, ...(isReplayed && { 'Idempotent-Replayed': 'true' }) };
    return new RawResponse(answer.status, headers, answer.body);
  }
}

/** Whether this interceptor handles the idempotency key of a request. */
function isKeyed({ headers }: AppRequest, handler: object): boolean {
  if (headers['idempotency-key'] === undefined) return false;
  if (!changesData(accessOf(handler)) || keepsOwnKeys(handler)) return false;
  // Responses of the console's own routes may contain a key or a link, which are never stored.
  return !isForSessions(handler);
}

const KEPT_HEADERS = ['ETag', 'Preference-Applied'];

/** Whether the request asked for a dry run. Other routes have no such property. */
function isDryRun(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'dryRun' in body && body.dryRun === true;
}

/** Runs the rest of the request. Called again if the transaction is retried. */
async function firstAnswer(
  enveloped: () => Observable<unknown>,
  request: AppRequest,
  response: Response & CountedResponse,
): Promise<FirstAnswer> {
  response.removeHeader('ETag');
  const body = (await lastValueFrom(enveloped())) as string | undefined;
  // Not every service reserves memory. This is the last chance before the commit.
  response.reserve(body?.length ?? 0);
  const headers: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = response.getHeader(name);
    if (typeof value === 'string') headers[name] = value;
  }
  const isKept = !isDryRun(request.body);
  return { status: response.statusCode, headers, body: body ?? null, isKept };
}
