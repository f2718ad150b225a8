import {
  applyDecorators,
  type CallHandler,
  Controller,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import type { Observable } from 'rxjs';
import { accessOf, changesData, isForSessions, PUBLIC_API } from '../http/access';
import { parsedBodyOf } from '../http/json-body';
import { handlesOwnIdempotencyKey } from '../idempotency/claim';

/** What requests pass between the guards and the pipes. */
export abstract class RequestEntry {
  /** @param next The pipes and the handler. */
  abstract enter(context: ExecutionContext, next: CallHandler): Observable<unknown>;
}

/** Interceptor of the routes that need it. Controllers load this class, but not what it calls. */
@Injectable()
export class RequestInterceptor implements NestInterceptor {
  constructor(private readonly entry: RequestEntry) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return this.entry.enter(context, next);
  }
}

/** Returns whether the interceptor does anything for requests of a route. */
export const needsRequestInterceptor = (handler: object): boolean =>
  parsedBodyOf(handler) !== null ||
  (accessOf(handler) !== 'public' && (entersGateBeforeHandler(handler) || isRepeatable(handler)));

/**
 * Returns whether a change with an `Idempotency-Key` runs once. Responses of the console's own routes
 * may contain a key or a link, which are never stored.
 */
export const isRepeatable = (handler: object): boolean =>
  changesData(accessOf(handler)) && !handlesOwnIdempotencyKey(handler) && !isForSessions(handler);

const enteredInService = new WeakSet<object>();

/**
 * Marks a route whose service enters the database gate itself when it uses the main pool, so that
 * no interceptor enters it before the handler. For routes that stream, batch writes of several
 * requests, or may use other connections.
 */
export const EnterGateInService =
  (): MethodDecorator =>
  <T>(_prototype: object, _method: string | symbol, descriptor: TypedPropertyDescriptor<T>) => {
    enteredInService.add(descriptor.value as object);
  };

/** Returns whether requests of a handler enter the gate before the handler runs. */
export const entersGateBeforeHandler = (handler: object): boolean => !enteredInService.has(handler);

/** Declares a controller of the public API at one or more paths below its base. */
export const PublicApiController = (...paths: string[]): ClassDecorator =>
  ApiController((paths.length === 0 ? [''] : paths).map((path) => join(path)));

const join = (path: string): string => (path === '' ? PUBLIC_API : `${PUBLIC_API}/${path}`);

/**
 * Declares a controller whose routes have the request interceptor, except those that do not need
 * it: Nest takes several microseconds for each interceptor of a request.
 */
export const ApiController = (paths: string | string[]): ClassDecorator =>
  applyDecorators(Controller(paths), interceptRequests);

// Decorators of a class run after those of its methods, which say what a route needs.
function interceptRequests({ prototype }: { readonly prototype: object }): void {
  const methods = Object.entries(Object.getOwnPropertyDescriptors(prototype));
  for (const [name, descriptor] of methods) {
    const handler = descriptor.value as object;
    if (accessOf(handler) === null || !needsRequestInterceptor(handler)) continue;
    UseInterceptors(RequestInterceptor)(prototype, name, descriptor);
  }
}
