import type { ApiKey, Role } from '../../api/types';
import {
  mayManageConnections,
  mayReadAudit,
  mayWriteRows,
  mayWriteSchema,
} from '../../session/role';
import { profileText } from '../../text/profile-text';

const t = profileText.access;

/** What a new key may be used for, as chosen in the form. */
export interface Access {
  readonly kind: 'all' | 'read' | 'some';
  /** Permissions that are chosen if `kind` is `some`. */
  readonly scopes: readonly string[];
  /** `null` if the key is not limited to workspaces or datagrids. */
  readonly targets: readonly string[] | null;
}

export const FULL_ACCESS: Access = { kind: 'all', scopes: [], targets: null };

const READ = ['workspaces:read', 'datagrids:read', 'rows:read', 'views:read'] as const;

/** Permissions by the roles that have them, in the order of the form. */
const SCOPES: readonly { readonly scope: keyof typeof t.scopes; may: (role: Role) => boolean }[] = [
  ...READ.map((scope) => ({ scope, may: () => true })),
  { scope: 'rows:write', may: mayWriteRows },
  { scope: 'views:write', may: mayWriteRows },
  { scope: 'datagrids:write', may: mayWriteSchema },
  { scope: 'workspaces:write', may: mayWriteSchema },
  { scope: 'links:read', may: mayWriteSchema },
  { scope: 'links:write', may: mayWriteSchema },
  { scope: 'webhooks:read', may: mayWriteSchema },
  { scope: 'webhooks:write', may: mayWriteSchema },
  { scope: 'connections:read', may: mayManageConnections },
  { scope: 'connections:write', may: mayManageConnections },
  { scope: 'audit:read', may: mayReadAudit },
];

/** Returns the permissions that a key of a user with this role can have, with their descriptions. */
export const scopesOf = (role: Role): readonly { scope: string; label: string }[] =>
  SCOPES.filter(({ may }) => may(role)).map(({ scope }) => ({ scope, label: t.scopes[scope] }));

/** Permissions that others include, as in the service. */
const INCLUDED: Readonly<Record<string, readonly string[]>> = {
  'workspaces:write': ['workspaces:read', 'datagrids:read', 'datagrids:write', 'rows:read'],
  'datagrids:write': ['datagrids:read', 'rows:read'],
  'rows:write': ['rows:read'],
  'views:write': ['views:read', 'rows:read'],
  'links:read': ['rows:read'],
  'links:write': ['links:read', 'views:read', 'rows:read'],
  'webhooks:read': ['rows:read'],
  'webhooks:write': ['webhooks:read', 'rows:read'],
  'connections:write': [
    'connections:read',
    'datagrids:read',
    'datagrids:write',
    'rows:read',
    'rows:write',
  ],
};

/** Returns whether a permission includes another one. */
export const includes = (scope: string, other: string): boolean =>
  INCLUDED[scope]?.includes(other) ?? false;

/** Returns permissions with all that they include. */
export const withIncluded = (scopes: readonly string[]): string[] => [
  ...new Set(scopes.flatMap((scope) => [scope, ...(INCLUDED[scope] ?? [])])),
];

/** Marks the ids of datagrids among the targets. The others are workspaces. */
const DATAGRID = 'datagrid:';

export const datagridTarget = (id: string): string => `${DATAGRID}${id}`;

export interface AccessBody {
  readonly scopes: readonly string[] | null;
  readonly workspaceIds: readonly string[] | null;
  readonly datagridIds: readonly string[] | null;
}

/** Returns the properties of the request for a new key. */
export function bodyOf({ kind, scopes, targets }: Access): AccessBody {
  const isDatagrid = (target: string): boolean => target.startsWith(DATAGRID);
  const datagrids = (targets ?? []).filter(isDatagrid).map((id) => id.slice(DATAGRID.length));
  const workspaces = (targets ?? []).filter((target) => !isDatagrid(target));
  const isEmpty = targets !== null && targets.length === 0;
  return {
    scopes: kind === 'all' ? null : kind === 'read' ? READ : scopes,
    // An empty list is rejected: the user has chosen to limit the key, but not to what.
    workspaceIds: workspaces.length > 0 || isEmpty ? workspaces : null,
    datagridIds: datagrids.length > 0 ? datagrids : null,
  };
}

export interface AccessErrors {
  readonly scopesError: string | undefined;
  readonly targetsError: string | undefined;
}

/**
 * Returns the messages of the fields of the form.
 * @param errors Messages of the server by property of the request.
 * @param sent What was chosen in this request.
 */
export function accessErrors(
  errors: Readonly<Partial<Record<keyof AccessBody, string>>>,
  sent: Access | undefined,
): AccessErrors {
  const { scopes, workspaceIds, datagridIds } = errors;
  const hasNoScope = sent?.kind === 'some' && sent.scopes.length === 0;
  const hasNoTarget = sent?.targets?.length === 0;
  return {
    scopesError: scopes !== undefined && hasNoScope ? t.noScope : scopes,
    targetsError:
      workspaceIds !== undefined && hasNoTarget ? t.noTarget : (workspaceIds ?? datagridIds),
  };
}

/** Describes what a key may be used for, such as `Read only, in 2 workspaces`. */
export function describeAccess({
  scopes,
  workspaceIds,
  datagridIds,
}: Pick<ApiKey, 'scopes' | 'workspaceIds' | 'datagridIds'>): string {
  const what =
    scopes === null
      ? t.everything
      : scopes.every((scope) => scope.endsWith(':read'))
        ? t.readOnly
        : t.permissions(scopes.length);
  const limits = [
    ...(workspaceIds === null ? [] : [t.workspaces(workspaceIds.length)]),
    ...(datagridIds === null ? [] : [t.datagrids(datagridIds.length)]),
  ];
  return limits.length === 0 ? what : t.limited(what, limits);
}
