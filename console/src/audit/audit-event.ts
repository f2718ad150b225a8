/** An event of the account's audit log. */
export interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly by: {
    readonly via: 'console' | 'key' | 'link' | 'operator' | 'service' | 'nobody';
    readonly email: string | null;
    readonly keyName: string | null;
  };
  readonly target: {
    readonly kind: string;
    readonly id: string;
    /** As it was called then. */
    readonly name: string | null;
  };
  readonly details: Readonly<Record<string, string | number | null>>;
  readonly address: string | null;
}

const ACTIONS: Readonly<Record<string, string>> = {
  account_created: 'Account made',
  account_suspended: 'Account suspended',
  account_resumed: 'Account resumed',
  sign_in: 'Signed in',
  sign_in_failed: 'Sign-in refused',
  sign_out: 'Signed out',
  session_ended: 'Session ended',
  password_changed: 'Password changed',
  user_created: 'User made',
  user_invited: 'Link made for',
  user_role_changed: 'Role changed',
  user_suspended: 'User suspended',
  user_resumed: 'User resumed',
  key_created: 'Key made',
  key_rotated: 'Key rotated',
  key_revoked: 'Key revoked',
  workspace_created: 'Workspace made',
  workspace_deleted: 'Workspace deleted',
  workspace_restored: 'Workspace restored',
  workspace_purged: 'Workspace deleted for good',
  datagrid_created: 'Datagrid made',
  datagrid_deleted: 'Datagrid deleted',
  datagrid_restored: 'Datagrid restored',
  datagrid_purged: 'Datagrid deleted for good',
  column_removed: 'Column removed',
  rows_deleted: 'Rows deleted',
};

/** An action that this page does not know yet shows as it is. */
export const titleOf = ({ action }: AuditEvent): string => ACTIONS[action] ?? action;

/** What it was done to; a session has no name, and what it was shows elsewhere. */
export function targetOf({ target: { kind, name, id } }: AuditEvent): string | undefined {
  if (kind === 'session') return undefined;
  return name ?? `${kind} ${id}`;
}

/** Such as `editor to admin`, `12 rows`; undefined where there is nothing to tell. */
export function circumstancesOf({ action, details }: AuditEvent): string | undefined {
  const text = (name: string): string => String(details[name] ?? '');
  switch (action) {
    case 'user_role_changed':
      return `${text('from')} to ${text('to')}`;
    case 'user_created':
      return text('role');
    case 'key_created':
    case 'key_rotated':
    case 'key_revoked':
      return `of ${text('user')}`;
    case 'sign_in_failed':
      return details['reason'] === 'suspended' ? 'is suspended' : 'wrong password';
    case 'column_removed':
      return `column ${text('column')}`;
    case 'rows_deleted':
      return details['rows'] === 1 ? '1 row' : `${text('rows')} rows`;
    default:
      return undefined;
  }
}

/** Who did it, and by what. */
export function actorOf({ by: { via, email, keyName }, address }: AuditEvent): string {
  const from = address === null ? '' : `, from ${address}`;
  switch (via) {
    case 'operator':
      return `An operator${from}`;
    case 'service':
      return `The service itself${from}`;
    case 'nobody':
      return `Somebody${from}`;
    case 'key':
      return `${email ?? 'Unknown'} with the key ${keyName ?? '(gone)'}${from}`;
    case 'link':
      return `${email ?? 'Unknown'} with a link${from}`;
    case 'console':
      return `${email ?? 'Unknown'}${from}`;
  }
}
