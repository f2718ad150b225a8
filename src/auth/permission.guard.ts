import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AppRequest, Caller } from '../common/caller/app-request';
import { accountSuspended, AppError } from '../common/error/app-error';
import { type Permission, roleHas } from '../common/permission/permission';
import { accessOf } from '../platform/http/access';

/** Checks the caller's permission for the route. Runs after the throttler. */
@Injectable()
export class PermissionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const access = accessOf(context.getHandler());
    if (access === 'public') return true;
    const { caller } = context.switchToHttp().getRequest<AppRequest>();
    // A route that declares no access is denied.
    if (!caller || access === null) throw new AppError('forbidden', 'Permission denied.');
    requirePermission(caller, access);
    return true;
  }
}

/** @throws AppError `account_suspended`; `forbidden` if the caller's role lacks the permission. */
export function requirePermission({ suspended, role }: Caller, permission: Permission): void {
  if (suspended) throw accountSuspended();
  if (roleHas(role, permission)) return;
  throw new AppError('forbidden', `The role ${role} does not allow this.`);
}
