import { Injectable, type CallHandler, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import { defer, from, lastValueFrom, Observable, switchMap } from 'rxjs';
import type { Caller } from '../../common/caller/app-request';
import { JsonResponse } from '../../common/envelope/json-response';
import { AppError, ERROR_STATUS } from '../../common/error/app-error';
import { AppConfig } from '../config/app-config';
import { DatabaseGate } from '../database/database-gate';
import type { Release } from '../fairness/account-semaphore';
import { BodyReader } from '../http/body-reader';
import { inEnvelope } from '../http/envelope.interceptor';
import { codeOfPrinted, printError } from '../http/exception.filter';
import { parsedBodyOf } from '../http/json-body';
import { claim, type FirstResponse, readIdempotencyKey, withoutSecret } from '../idempotency/claim';
import { IdempotencyService } from '../idempotency/idempotency.service';
import { entersGateBeforeHandler, isRepeatable, RequestEntry } from './api-controller';
import { requestOf, responseOf } from '../load/exchange';

/** What a route needs before its handler. */
interface Needs {
  /** Reads the body; `null` if the handler takes none, or reads it itself. */
  readonly body: BodyReader | null;
  /** Whether requests of callers enter the database gate here. */
  readonly gate: boolean;
  /** Whether a request with an `Idempotency-Key` runs once. */
  readonly isRepeatable: boolean;
}

/**
 * Runs after the guards and before the pipes: reads the body, so that an unknown or rate-limited
 * caller cannot make the service parse, and then enters the database gate, where a slow client must
 * not hold a permit. A change with an `Idempotency-Key` runs once, and its response is stored as it
 * is sent.
 */
@Injectable()
export class GatedRequestEntry extends RequestEntry {
  private readonly needs = new WeakMap<object, Needs>();
  private readonly maxBodyBytes: number;

  constructor(
    config: AppConfig,
    private readonly gate: DatabaseGate,
    private readonly idempotency: IdempotencyService,
  ) {
    super();
    this.maxBodyBytes = config.maxBodyBytes;
  }

  override enter(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = requestOf(context);
    const response = responseOf(context);
    const { body, gate, isRepeatable } = this.needsOf(context.getHandler());
    const { caller } = request;
    if (caller && isRepeatable && request.headers['idempotency-key'] !== undefined) {
      return defer(() => this.once(caller, context, next, body));
    }
    const handle = (): Observable<unknown> =>
      caller && gate
        ? withDatabasePermit(this.gate, caller, response, () => next.handle())
        : next.handle();
    if (!body) return handle();
    const arrived = body.readArrived(request);
    if (arrived) {
      request.body = arrived.value;
      return handle();
    }
    return from(body.read(request, response)).pipe(
      switchMap((value) => {
        request.body = value;
        return handle();
      }),
    );
  }

  private needsOf(handler: object): Needs {
    let needs = this.needs.get(handler);
    if (!needs) {
      const body = parsedBodyOf(handler);
      needs = {
        body: body && new BodyReader(body.maxBytes ?? this.maxBodyBytes, body.isScim),
        gate: entersGateBeforeHandler(handler),
        isRepeatable: isRepeatable(handler),
      };
      this.needs.set(handler, needs);
    }
    return needs;
  }

  /** Runs a change with an `Idempotency-Key`, or returns the stored response. */
  private async once(
    caller: Caller,
    context: ExecutionContext,
    next: CallHandler,
    reader: BodyReader | null,
  ): Promise<JsonResponse> {
    const request = requestOf(context);
    const response = responseOf(context);
    const key = readIdempotencyKey(request);
    // Receives and parses the body before the transaction, which a slow client must not hold open.
    const bytes = await (reader ?? new BodyReader(this.maxBodyBytes)).receive(request, response);
    const claimed = claim(key, caller, request, bytes);
    if (reader) {
      request.body = await reader.read(request, response);
      delete request.bodyBytes;
    }
    // Enters the gate before the transaction: waiting for a permit inside it would hold a
    // connection.
    const { response: first, isReplayed } = await this.gate.run(caller.accountId, () =>
      this.idempotency.once(
        claimed,
        () => firstResponse(context, next),
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

const PREFERENCE = 'Preference-Applied';

/** Returns whether the request asked for a dry run. Other routes have no such property. */
function isDryRun(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'dryRun' in body && body.dryRun === true;
}

/** Runs the rest of the request. Called again if the transaction is retried. */
async function firstResponse(context: ExecutionContext, next: CallHandler): Promise<FirstResponse> {
  const response = responseOf(context);
  const result = await lastValueFrom<unknown>(next.handle());
  const { text, parts } = (await inEnvelope(context, result)) as JsonResponse;
  // Not every service reserves memory. This is the last chance before the commit.
  response.reserve(text?.length ?? 0);
  const { status = response.statusCode, etag } = parts;
  const preference = response.getHeader(PREFERENCE);
  const headers = {
    ...(etag !== undefined && { ETag: etag }),
    ...(typeof preference === 'string' && { [PREFERENCE]: preference }),
  };
  const isKept = !isDryRun(requestOf(context).body);
  return {
    status,
    headers,
    body: text,
    isKept,
    storedBody: withoutSecret(context.getHandler(), text),
  };
}

/**
 * Runs the rest of a request with a permit of the database gate. It subscribes directly,
 * which is cheaper than four rxjs operators.
 */
function withDatabasePermit(
  gate: DatabaseGate,
  { accountId }: Caller,
  response: Response,
  work: () => Observable<unknown>,
): Observable<unknown> {
  return new Observable((subscriber) => {
    const begin = (release: Release): void => {
      subscriber.add(release);
      work().subscribe(subscriber);
    };
    const release = gate.tryEnter(accountId);
    if (release) {
      begin(release);
      return;
    }
    gate
      .enter(accountId)
      .then((acquired) => {
        if (!response.destroyed) begin(acquired);
        else {
          acquired();
          // The client disconnected while its request was waiting: do not start the work.
          throw new AppError('request_timeout', 'The client closed the connection.');
        }
      })
      .catch((error: unknown) => {
        subscriber.error(error);
      });
  });
}
