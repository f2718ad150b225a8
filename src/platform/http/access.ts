import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import type { Permission } from '../../common/permission/permission';

export const ACCESS = Symbol('access');
const SESSION = Symbol('session');

/** Where the API description says it. */
export const PERMISSION_EXTENSION = 'x-permission';

/** What a route asks of its caller. Every route says it, and a test holds that. */
export type Access = 'public' | Permission;

/** The caller's role must have `permission`. */
export const Requires = (permission: Permission): MethodDecorator =>
  applyDecorators(
    SetMetadata(ACCESS, permission),
    ApiBearerAuth('apiKey'),
    ApiExtension(PERMISSION_EXTENSION, permission),
  );

/**
 * For a route of the console: the caller must be signed in, and their role must have `permission`.
 * A key does not open it.
 */
export const RequiresSession = (permission: Permission): MethodDecorator =>
  applyDecorators(SetMetadata(ACCESS, permission), SetMetadata(SESSION, true));

/** No key is asked for, and none is looked at. */
export const Public = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, 'public');

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
