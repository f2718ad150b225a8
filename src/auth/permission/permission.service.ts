import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BatchLoader } from '../../common/async/batch-loader';
import type { AccessTarget, Caller } from '../../common/caller/app-request';
import { AppError, notFound } from '../../common/error/app-error';
import { higherRole, type Permission, roleHas } from '../../common/permission/permission';
import { isOwn } from '../../common/permission/scope';
import { isLimitedKey } from '../../common/caller/reach';
import { isUuid } from '../../common/text/id';
import { PermissionRepository } from './permission.repository';
import { requireRole, requireScope } from './require-permission';

const MAX_DATAGRIDS = 10_000;

export interface TargetOptions {
  /** Whether the route returns only the workspaces that the caller has access to. */
  readonly listsReachable: boolean;
  /** Whether a route below a workspace serves a key that is limited to datagrids of it. */
  readonly servesPart?: boolean;
}

/** Checks callers whose access depends on the workspace or the datagrid of the request. */
@Injectable()
export class PermissionService {
  /**
   * Workspaces of datagrids, by the ids of the account and the datagrid. A datagrid never moves to
   * another workspace.
   */
  private readonly workspaces = new LRUCache<string, string>({ max: MAX_DATAGRIDS });

  /** One lookup at a time: requests wait for it before they count against the share of an account. */
  private readonly lookups = new BatchLoader<string>((keys) => this.findWorkspaces(keys));

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
    { listsReachable, servesPart = false }: TargetOptions = { listsReachable: false },
  ): Promise<Caller> {
    requireScope(caller, permission);
    if (listsReachable) return caller;
    if (target.workspaceId === null && target.datagridId === null) {
      if (!isOwn(permission) && isLimitedKey(caller)) throw limitedKey();
      requireRole(caller.role, permission);
      return caller;
    }
    const workspaceId = await this.workspaceOf(caller, target);
    if (workspaceId === null || !reaches(caller, target, workspaceId, servesPart))
      throw notFoundAt(target);
    const role = higherRole(caller.role, caller.workspaceRoles?.[workspaceId] ?? 'member');
    if (role === 'member') throw notFoundAt(target);
    requireRole(role, permission);
    const isConfined = isLimitedKey(caller) || !roleHas(caller.role, permission);
    const hasWhole = caller.workspaceIds?.includes(workspaceId) === true;
    const only = isLimitedKey(caller) && !hasWhole && { onlyDatagridIds: caller.datagridIds ?? [] };
    return { ...caller, role, target, isConfined, ...only };
  }

  /**
   * Like `requireAt`, for a request that was admitted before.
   * @param then The caller as admitted.
   */
  async requireStillAt(now: Caller, permission: Permission, then: Caller): Promise<void> {
    if (then.target) {
      const servesPart = then.onlyDatagridIds !== undefined;
      await this.requireAt(now, permission, then.target, { listsReachable: false, servesPart });
      return;
    }
    // The access did not depend on the target when the request started, so that it is not known.
    requireScope(now, permission);
    if (!isLimitedKey(now) && roleHas(now.role, permission)) return;
    throw new AppError('forbidden', 'Your access has changed. Retry the request.');
  }

  /** @returns `null` if the account has no such datagrid. */
  private async workspaceOf({ accountId }: Caller, target: AccessTarget): Promise<string | null> {
    const { workspaceId, datagridId } = target;
    if (workspaceId !== null || datagridId === null) return workspaceId;
    if (!isUuid(datagridId)) return null;
    const key = `${accountId} ${datagridId}`;
    return this.workspaces.get(key) ?? (await this.lookups.get(key));
  }

  /** @param keys Ids of an account and a datagrid, separated by a space. */
  private async findWorkspaces(keys: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const pairs = keys.map((key) => key.split(' '));
    const accountIds = pairs.map(([accountId = '']) => accountId);
    const datagridIds = pairs.map(([, datagridId = '']) => datagridId);
    const places = await this.repository.findWorkspacesOf(accountIds, datagridIds);
    const found = new Map(
      places.map((place) => [`${place.accountId} ${place.id}`, place.workspaceId]),
    );
    for (const [key, workspaceId] of found) this.workspaces.set(key, workspaceId);
    return found;
  }
}

/** Returns whether a key may be used for a target. A key without limits may be used for all. */
function reaches(
  caller: Caller,
  target: AccessTarget,
  workspaceId: string,
  servesPart: boolean,
): boolean {
  if (!isLimitedKey(caller) || caller.workspaceIds?.includes(workspaceId) === true) return true;
  if (servesPart && target.datagridId === null) return caller.datagridIds !== null;
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
