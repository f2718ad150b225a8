import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { AppRequest } from '../common/caller/app-request';
import { AppError } from '../common/error/app-error';
import { accessOf } from '../platform/http/access';
import { requirePermission } from './require-permission';

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
