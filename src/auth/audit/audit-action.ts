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
  'user_created',
  'user_invited',
  'user_role_changed',
  'user_suspended',
  'user_resumed',
  'key_created',
  'key_rotated',
  'key_revoked',
  'workspace_created',
  'workspace_deleted',
  'workspace_restored',
  'workspace_purged',
  'datagrid_created',
  'datagrid_deleted',
  'datagrid_restored',
  'datagrid_purged',
  'column_removed',
  'rows_deleted',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];
