import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { AccessTarget, Caller } from '../../common/caller/app-request';
import { AppError, notFound } from '../../common/error/app-error';
import { higherRole, type Permission } from '../../common/permission/permission';
import { isOwn } from '../../common/permission/scope';
import { isLimitedKey } from '../../common/caller/reach';
import { isUuid } from '../../common/text/id';
import { PermissionRepository } from './permission.repository';
import { requireRole, requireScope } from './require-permission';

const MAX_DATAGRIDS = 10_000;

export interface TargetOptions {
  /** Whether the route returns only the workspaces that the caller has access to. */
  readonly listsReachable: boolean;
}

/** Checks callers whose access depends on the workspace or the datagrid of the request. */
@Injectable()
export class PermissionService {
  /** Workspaces by the ids of their datagrids. A datagrid never moves to another workspace. */
  private readonly workspaces = new LRUCache<string, string>({ max: MAX_DATAGRIDS });

  constructor(private readonly repository: PermissionRepository) {}

  /**
   * Checks the caller's permission for a target. A workspace or datagrid that the caller has no
   * access to is not found, as if it belonged to another account.
   * @returns the caller with the role that they have there.
   * @throws AppError `account_suspended`, `forbidden` or `not_found`
   */
  async requireAt(
    caller: Caller,
    permission: Permission,
    target: AccessTarget,
    { listsReachable }: TargetOptions = { listsReachable: false },
  ): Promise<Caller> {
    requireScope(caller, permission);
    if (listsReachable) return caller;
    if (target.workspaceId === null && target.datagridId === null) {
      if (!isOwn(permission) && isLimitedKey(caller)) throw limitedKey();
      requireRole(caller.role, permission);
      return caller;
    }
    const workspaceId = await this.workspaceOf(caller, target);
    if (workspaceId === null || !reaches(caller, target, workspaceId)) throw notFoundAt(target);
    const role = higherRole(caller.role, caller.workspaceRoles?.[workspaceId] ?? 'member');
    if (role === 'member') throw notFoundAt(target);
    requireRole(role, permission);
    return { ...caller, role, target };
  }

  /**
   * Like `requireAt`, for a request that was admitted before.
   * @param then The caller as admitted.
   */
  async requireStillAt(now: Caller, permission: Permission, then: Caller): Promise<void> {
    // The caller has lost access to other workspaces since. The target is not known.
    if (!then.target)
      throw new AppError('forbidden', 'Your access has changed. Retry the request.');
    await this.requireAt(now, permission, then.target);
  }

  /** @returns `null` if the account has no such datagrid. */
  private async workspaceOf({ accountId }: Caller, target: AccessTarget): Promise<string | null> {
    const { workspaceId, datagridId } = target;
    if (workspaceId !== null || datagridId === null) return workspaceId;
    if (!isUuid(datagridId)) return null;
    const known = this.workspaces.get(datagridId);
    if (known !== undefined) return known;
    const found = await this.repository.findWorkspaceOf(accountId, datagridId);
    if (found !== null) this.workspaces.set(datagridId, found);
    return found;
  }
}

/** Returns whether a key may be used for a target. A key without limits may be used for all. */
function reaches(caller: Caller, target: AccessTarget, workspaceId: string): boolean {
  if (!isLimitedKey(caller) || caller.workspaceIds?.includes(workspaceId) === true) return true;
  // A datagrid below a workspace, such as a table of a connection, belongs to the workspace.
  if (target.workspaceId !== null || target.datagridId === null) return false;
  return caller.datagridIds?.includes(target.datagridId) === true;
}

function notFoundAt({ datagridId }: AccessTarget): AppError {
  return notFound(datagridId === null ? 'Workspace' : 'Datagrid');
}

function limitedKey(): AppError {
  return new AppError(
    'forbidden',
    'This API key is limited to some workspaces or datagrids. Use a key without this limit.',
  );
}
