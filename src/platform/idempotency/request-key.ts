import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { AppRequest } from '../../common/caller/app-request';
import { claim, readIdempotencyKey } from './claim';

/** An `Idempotency-Key` that the route handles itself. */
export interface RequestKey {
  readonly key: string;
  /** SHA-256 of the request's method, path and query. */
  readonly requestHash: Buffer;
}

const ownKeyed = new WeakSet<object>();

const readKey = createParamDecorator((_: unknown, context: ExecutionContext): RequestKey | null => {
  const request = context.switchToHttp().getRequest<AppRequest>();
  const { caller } = request;
  if (request.headers['idempotency-key'] === undefined || !caller) return null;
  const key = readIdempotencyKey(request);
  return { key, requestHash: claim(key, caller, request, undefined).requestHash };
});

/**
 * The request's key; `null` if it has none. The hash excludes the body, which may be of any length.
 */
export const OwnIdempotencyKey = (): ParameterDecorator => {
  const bind = readKey();
  return (prototype, method, index) => {
    bind(prototype, method, index);
    ownKeyed.add((prototype as Record<string | symbol, object>)[method ?? ''] ?? {});
  };
};

/** Whether a handler handles idempotency keys itself. */
export function keepsOwnKeys(handler: object): boolean {
  return ownKeyed.has(handler);
}
