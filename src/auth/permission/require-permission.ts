import type { Caller } from '../../common/caller/app-request';
import { isLimitedKey } from '../../common/caller/reach';
import { accountSuspended, AppError, fieldError } from '../../common/error/app-error';
import { type Permission, type Role, roleHas } from '../../common/permission/permission';
import { isOwn } from '../../common/permission/scope';

/**
 * Checks a caller whose access is the same in all workspaces.
 * @throws AppError `account_suspended`; `forbidden` if the key does not have the scope, or if the
 *   caller's role does not have the permission.
 */
export function requirePermission(caller: Caller, permission: Permission): void {
  requireScope(caller, permission);
  requireRole(caller.role, permission);
}

/** @throws AppError `forbidden` if the user lacks the second factor that the account requires. */
export function requireSecondFactor({ suspended, lacksSecondFactor = false }: Caller): void {
  if (!lacksSecondFactor || suspended) return;
  const message = 'This account requires a second factor. Set one up in your profile first.';
  throw new AppError('forbidden', message);
}

/** @throws AppError `forbidden` if the user must sign in again. */
export function requireRecentSignIn({ suspended, hasRecentSignIn = true }: Caller): void {
  if (hasRecentSignIn || suspended) return;
  const message = 'You signed in more than an hour ago. Sign in again for this change.';
  const details = [fieldError('session', 'recent_sign_in_required', 'is too old; sign in again')];
  throw new AppError('forbidden', message, { details });
}

/** @throws AppError `account_suspended`; `forbidden` if the key does not have the scope. */
export function requireScope({ suspended, scopes }: Caller, permission: Permission): void {
  if (suspended) throw accountSuspended();
  if (scopes === null || isOwn(permission)) return;
  if ((scopes as readonly Permission[]).includes(permission)) return;
  throw new AppError('forbidden', `This API key does not have the scope ${permission}.`);
}

/** @throws AppError `forbidden` */
export function requireRole(role: Role, permission: Permission): void {
  if (roleHas(role, permission)) return;
  throw new AppError('forbidden', `The role ${role} does not allow this.`);
}

/**
 * Returns whether a caller has a permission in at least one workspace. A key that is limited to
 * datagrids may belong to any of them.
 */
export function hasSomewhere(caller: Caller, permission: Permission): boolean {
  const { scopes, workspaceIds, datagridIds, workspaceRoles, role } = caller;
  const isInScope = scopes === null || (scopes as readonly Permission[]).includes(permission);
  if (!isInScope && !isOwn(permission)) return false;
  const ids = datagridIds === null ? workspaceIds : null;
  return (
    roleHas(role, permission) ||
    Object.entries(workspaceRoles ?? {}).some(
      ([id, ofWorkspace]) => (ids === null || ids.includes(id)) && roleHas(ofWorkspace, permission),
    )
  );
}

/** Returns whether the access of a caller depends on the workspace or datagrid of the request. */
export function dependsOnTarget(caller: Caller): boolean {
  return caller.workspaceRoles !== null || caller.role === 'member' || isLimitedKey(caller);
}
