import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import type { Permission } from '../../common/permission/permission';

export const ACCESS = Symbol('access');
const SESSION = Symbol('session');
const PUBLIC_LIMIT = Symbol('public limit');

/** Extension of the OpenAPI document that holds a route's permission. */
export const PERMISSION_EXTENSION = 'x-permission';

/** Access rule of a route. Every route declares one, and a test checks that. */
export type Access = 'public' | Permission;

/** Requires that the caller's role has `permission`. */
export const RequirePermission = (permission: Permission): MethodDecorator =>
  applyDecorators(
    SetMetadata(ACCESS, permission),
    ApiBearerAuth('apiKey'),
    ApiExtension(PERMISSION_EXTENSION, permission),
  );

/**
 * Marks a console route: the caller must be signed in, and their role must have `permission`. API
 * keys are rejected.
 */
export const RequireSession = (permission: Permission): MethodDecorator =>
  applyDecorators(SetMetadata(ACCESS, permission), SetMetadata(SESSION, true));

/**
 * Limit of a client address that a public route counts against: requests without a caller
 * (`requests`), the larger limit for files that cost next to nothing (`files`), or none.
 */
export type PublicLimit = 'requests' | 'files' | 'none';

/** Marks a route as public: it requires no key and does not read one. */
export const Public = (limit: PublicLimit = 'requests'): MethodDecorator =>
  applyDecorators(
    SetMetadata<symbol, Access>(ACCESS, 'public'),
    SetMetadata<symbol, PublicLimit>(PUBLIC_LIMIT, limit),
  );

/**
 * Whether a route with this access changes data. A route that only reads does not, even if its
 * method is `POST`.
 */
export const changesData = (access: Access | null): boolean => access?.endsWith(':write') ?? false;

const accesses = new WeakMap<object, Access | null>();

/**
 * Returns the access rule of a handler. Cached, because reflection is slow.
 * @returns `null` if the handler declares none.
 */
export function accessOf(handler: object): Access | null {
  let access = accesses.get(handler);
  if (access === undefined) {
    access = (Reflect.getMetadata(ACCESS, handler) as Access | undefined) ?? null;
    accesses.set(handler, access);
  }
  return access;
}

const forSessions = new WeakMap<object, boolean>();

/** Whether a handler is for users signed in to the console, not for API keys. */
export function isForSessions(handler: object): boolean {
  let isFor = forSessions.get(handler);
  if (isFor === undefined) {
    isFor = Reflect.getMetadata(SESSION, handler) === true;
    forSessions.set(handler, isFor);
  }
  return isFor;
}

const publicLimits = new WeakMap<object, PublicLimit>();

/** Returns the limit that a public handler counts against. */
export function publicLimitOf(handler: object): PublicLimit {
  let limit = publicLimits.get(handler);
  if (limit === undefined) {
    limit = (Reflect.getMetadata(PUBLIC_LIMIT, handler) as PublicLimit | undefined) ?? 'requests';
    publicLimits.set(handler, limit);
  }
  return limit;
}
