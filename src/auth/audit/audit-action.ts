import type { Caller, ScimTokenName } from '../../common/caller/app-request';

/**
 * All actions in an account's audit log. Clients may filter by these names, so names are added but
 * never changed.
 */
export const AUDIT_ACTIONS = [
  'account_created',
  'account_suspended',
  'account_resumed',
  'sign_in',
  'sign_in_failed',
  'sign_out',
  'session_ended',
  'password_changed',
  'factor_added',
  'factor_removed',
  'factor_locked',
  'recovery_codes_created',
  'reauthentication_failed',
  'provider_created',
  'provider_updated',
  'provider_deleted',
  'identity_bound',
  'provider_required',
  'provider_not_required',
  'factor_required',
  'factor_not_required',
  'scim_token_created',
  'scim_token_revoked',
  'scim_user_taken_over',
  'scim_group_created',
  'scim_group_changed',
  'scim_group_mapped',
  'scim_group_deleted',
  'scim_roles_changed',
  'user_created',
  'user_invited',
  'user_email_changed',
  'user_role_changed',
  'user_workspace_roles_changed',
  'user_suspended',
  'user_resumed',
  'key_created',
  'key_rotated',
  'key_revoked',
  'application_authorized',
  'application_revoked',
  'workspace_created',
  'workspace_deleted',
  'workspace_restored',
  'workspace_purged',
  'datagrid_created',
  'datagrid_deleted',
  'datagrid_restored',
  'datagrid_purged',
  'column_created',
  'column_updated',
  'column_converted',
  'column_key_changed',
  'column_removed',
  'column_restored',
  'rows_deleted',
  'rows_undone',
  'rows_restored',
  'view_link_created',
  'view_link_revoked',
  'webhook_created',
  'webhook_updated',
  'webhook_deleted',
  'webhook_secret_rotated',
  'webhook_replayed',
  'webhook_disabled',
  'connection_created',
  'connection_updated',
  'connection_deleted',
  'connection_table_updated',
  'connection_table_reset',
  'connection_table_repaired',
  'scheduled_import_created',
  'scheduled_import_updated',
  'scheduled_import_deleted',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/**
 * Originator of an audited action: a caller; a directory with a SCIM token; an operator who runs a command; the
 * service itself; or `nobody` for a failed sign-in, whose originator is unknown.
 */
export type Actor =
  | Pick<Caller, 'userId' | 'keyId' | 'sessionId' | 'audience' | 'isConfined'>
  | { readonly scimToken: ScimTokenName }
  | 'operator'
  | 'service'
  | 'nobody';

/** Returns the actor that a write is by: the service itself if it is by no user. */
export function actorOf({
  userId,
  keyId,
  sessionId = null,
}: {
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly sessionId?: string | null;
}): Actor {
  return userId === null ? 'service' : { userId, keyId, sessionId };
}

/** Returns the actor of a request of SCIM. */
export function actorOfDirectory({ scimToken }: Caller): Actor {
  if (!scimToken) throw new Error('The caller has no SCIM token.');
  return { scimToken };
}

/**
 * Access path of the actor. For a caller, it is an API key, an application that a user has authorized, the console, an
 * invite link, or SCIM.
 */
export type Via =
  | 'key'
  | 'application'
  | 'console'
  | 'link'
  | 'scim'
  | 'operator'
  | 'service'
  | 'nobody';

/** Returns the user and the key of the actor; `null` for both if it is none. */
export function userOf(by: Actor): {
  readonly userId: string | null;
  readonly keyId: string | null;
} {
  if (typeof by === 'string' || 'scimToken' in by) return { userId: null, keyId: null };
  return { userId: by.userId, keyId: by.keyId };
}

export function viaOf(by: Actor): Via {
  if (typeof by === 'string') return by;
  if ('scimToken' in by) return 'scim';
  if (by.keyId !== null) return by.audience == null ? 'key' : 'application';
  return by.sessionId === null ? 'link' : 'console';
}

/** Object of an audited action. */
export interface AuditTarget {
  readonly kind:
    | 'account'
    | 'user'
    | 'session'
    | 'key'
    | 'application'
    | 'provider'
    | 'scim_token'
    | 'scim_group'
    | 'workspace'
    | 'datagrid'
    | 'view'
    | 'webhook'
    | 'connection'
    | 'scheduled_import';
  readonly id: string;
  /**
   * Current name; `null` if the object has no name. `null` for a datagrid reads its name when the
   * event is recorded.
   */
  readonly name: string | null;
}

/** @param name For a user, the email address. */
export function auditTarget(
  kind: AuditTarget['kind'],
  id: string,
  name: string | null = null,
): AuditTarget {
  return { kind, id, name };
}
