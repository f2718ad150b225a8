import type { Caller } from '../../common/caller/app-request';
import type { Scope } from '../../common/permission/scope';

/** Maximum number of workspaces, and of datagrids, that a key can be limited to. */
export const MAX_KEY_TARGETS = 100;

/** What a key may be used for, within the access of its user. */
export interface KeyAccess {
  /** `null` for all permissions of the user. */
  readonly scopes: Scope[] | null;
  /** Workspaces that the key is limited to. If this and `datagridIds` are `null`, it is not limited. */
  readonly workspaceIds: string[] | null;
  /** Datagrids that the key is limited to, beside those of `workspaceIds`. */
  readonly datagridIds: string[] | null;
}

/** Access of a key that may be used for everything that its user may do. */
export const FULL_ACCESS: KeyAccess = { scopes: null, workspaceIds: null, datagridIds: null };

/** Returns only the access of a key or a caller. */
export function keyAccessOf<A extends Pick<KeyAccess | Caller, keyof KeyAccess>>({
  scopes,
  workspaceIds,
  datagridIds,
}: A): Pick<A, keyof KeyAccess> {
  return { scopes, workspaceIds, datagridIds };
}

/** Returns the details of an audit event of a key with this access. Absent without limits. */
export function accessDetails(access: KeyAccess): Readonly<Record<string, string>> {
  const { scopes, workspaceIds, datagridIds } = access;
  return {
    ...(scopes && { scopes: scopes.join(' ') }),
    ...(workspaceIds && { workspaceIds: workspaceIds.join(' ') }),
    ...(datagridIds && { datagridIds: datagridIds.join(' ') }),
  };
}
