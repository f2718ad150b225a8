import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import type { Permission } from '../../common/permission/permission';

export const ACCESS = Symbol('access');
const SESSION = Symbol('session');
const PUBLIC_LIMIT = Symbol('public limit');

/** Where the API description says it. */
export const PERMISSION_EXTENSION = 'x-permission';

/** What a route asks of its caller. Every route says it, and a test holds that. */
export type Access = 'public' | Permission;

/** The caller's role must have `permission`. */
export const RequirePermission = (permission: Permission): MethodDecorator =>
  applyDecorators(
    SetMetadata(ACCESS, permission),
    ApiBearerAuth('apiKey'),
    ApiExtension(PERMISSION_EXTENSION, permission),
  );

/**
 * For a route of the console: the caller must be signed in, and their role must have `permission`.
 * A key does not open it.
 */
export const RequireSession = (permission: Permission): MethodDecorator =>
  applyDecorators(SetMetadata(ACCESS, permission), SetMetadata(SESSION, true));

/**
 * Which limit of a client address a public route counts for: that of requests without a caller, the
 * larger one of files that cost next to nothing, or none.
 */
export type PublicLimit = 'requests' | 'files' | 'none';

/** No key is asked for, and none is looked at. */
export const Public = (limit: PublicLimit = 'requests'): MethodDecorator =>
  applyDecorators(
    SetMetadata<symbol, Access>(ACCESS, 'public'),
    SetMetadata<symbol, PublicLimit>(PUBLIC_LIMIT, limit),
  );

/** Whether what asks this changes something, and does not only read by `POST`. */
export const changesData = (access: Access | null): boolean => access?.endsWith(':write') ?? false;

const accesses = new WeakMap<object, Access | null>();

/** What a handler asks; `null` where it forgot to say. Remembered: reflection is slow. */
export function accessOf(handler: object): Access | null {
  let access = accesses.get(handler);
  if (access === undefined) {
    access = (Reflect.getMetadata(ACCESS, handler) as Access | undefined) ?? null;
    accesses.set(handler, access);
  }
  return access;
}

const forSessions = new WeakMap<object, boolean>();

/** Whether a handler is for who is signed in to the console, and not for keys. */
export function isForSessions(handler: object): boolean {
  let isFor = forSessions.get(handler);
  if (isFor === undefined) {
    isFor = Reflect.getMetadata(SESSION, handler) === true;
    forSessions.set(handler, isFor);
  }
  return isFor;
}

const publicLimits = new WeakMap<object, PublicLimit>();

/** Which limit a public handler counts for. */
export function publicLimitOf(handler: object): PublicLimit {
  let limit = publicLimits.get(handler);
  if (limit === undefined) {
    limit = (Reflect.getMetadata(PUBLIC_LIMIT, handler) as PublicLimit | undefined) ?? 'requests';
    publicLimits.set(handler, limit);
  }
  return limit;
}
