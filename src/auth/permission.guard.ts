import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AppRequest, Caller } from '../common/caller/app-request';
import { accountSuspended, AppError } from '../common/error/app-error';
import type { Permission } from '../common/permission/permission';
import {
  accessOf,
  listsReachable,
  requiresRecentSignIn,
  servesPart,
  servesWithoutSecondFactor,
} from '../platform/http/access';
import { PermissionService } from './permission/permission.service';
import {
  dependsOnTarget,
  requirePermission,
  requireRecentSignIn,
  requireSecondFactor,
} from './permission/require-permission';
import { requestOf } from '../platform/load/exchange';

/** Checks the caller's permission for the route. Runs after the throttler. */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(private readonly permissions: PermissionService) {}

  /** Returns synchronously for a caller with the same access everywhere, which is the usual case. */
  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const handler = context.getHandler();
    const access = accessOf(handler);
    if (access === 'public') return true;
    const request = requestOf(context);
    const { caller } = request;
    // A route that declares no access is denied.
    if (!caller || access === null) throw new AppError('forbidden', 'Permission denied.');
    if (access === 'scim') {
      if (caller.suspended) throw accountSuspended();
      return true;
    }
    if (caller.lacksSecondFactor === true && !servesWithoutSecondFactor(handler))
      requireSecondFactor(caller);
    if (caller.hasRecentSignIn === false && requiresRecentSignIn(handler))
      requireRecentSignIn(caller);
    if (dependsOnTarget(caller)) return this.admitAt(request, caller, access, handler);
    requirePermission(caller, access);
    return true;
  }

  private async admitAt(
    request: AppRequest,
    caller: Caller,
    permission: Permission,
    handler: object,
  ): Promise<boolean> {
    const { params } = request;
    const target = {
      workspaceId: idOf(params['workspaceId']),
      datagridId: idOf(params['datagridId']),
    };
    const options = {
      listsReachable: listsReachable(handler),
      servesPart: servesPart(handler),
    };
    request.caller = await this.permissions.requireAt(caller, permission, target, options);
    return true;
  }
}

/** Express returns a string, because no route has the parameter twice. */
function idOf(parameter: string | string[] | undefined): string | null {
  return typeof parameter === 'string' ? parameter.toLowerCase() : null;
}
