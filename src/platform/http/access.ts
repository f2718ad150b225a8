import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth } from '@nestjs/swagger';
import type { Permission } from '../../common/permission/permission';

export const ACCESS = Symbol('access');

/** What a route asks of its caller. Every route says it, and a test holds that. */
export type Access = 'public' | Permission;

/** The caller's role must have `permission`. */
export const Requires = (permission: Permission): MethodDecorator =>
  applyDecorators(SetMetadata(ACCESS, permission), ApiBearerAuth('apiKey'));

/** No key is asked for, and none is looked at. */
export const Public = (): MethodDecorator => SetMetadata<symbol, Access>(ACCESS, 'public');
