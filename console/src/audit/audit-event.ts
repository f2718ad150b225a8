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
    /** Name at the time of the event. */
    readonly name: string | null;
  };
  readonly details: Readonly<Record<string, string | number | null>>;
  readonly address: string | null;
}

const ACTIONS: Readonly<Record<string, string>> = {
  account_created: 'Account created',
  account_suspended: 'Account suspended',
  account_resumed: 'Account resumed',
  sign_in: 'Signed in',
  sign_in_failed: 'Sign-in rejected',
  sign_out: 'Signed out',
  session_ended: 'Session ended',
  password_changed: 'Password changed',
  user_created: 'User created',
  user_invited: 'Link created for',
  user_role_changed: 'Role changed',
  user_suspended: 'User suspended',
  user_resumed: 'User resumed',
  key_created: 'Key created',
  key_rotated: 'Key rotated',
  key_revoked: 'Key revoked',
  workspace_created: 'Workspace created',
  workspace_deleted: 'Workspace deleted',
  workspace_restored: 'Workspace restored',
  workspace_purged: 'Workspace permanently deleted',
  datagrid_created: 'Datagrid created',
  datagrid_deleted: 'Datagrid deleted',
  datagrid_restored: 'Datagrid restored',
  datagrid_purged: 'Datagrid permanently deleted',
  column_converted: 'Column converted',
  column_removed: 'Column removed',
  rows_deleted: 'Rows deleted',
  rows_undone: 'Write undone',
  rows_restored: 'Deleted rows restored',
  view_link_created: 'Public link of a view created',
  view_link_revoked: 'Public link of a view revoked',
  webhook_created: 'Webhook created',
  webhook_updated: 'Webhook changed',
  webhook_deleted: 'Webhook deleted',
  webhook_secret_rotated: 'Webhook secret rotated',
  webhook_replayed: 'Webhook events sent again',
  webhook_disabled: 'Webhook disabled',
  connection_created: 'Connection created',
  connection_updated: 'Connection changed',
  connection_deleted: 'Connection deleted',
  connection_table_updated: 'Table of connection changed',
  connection_table_reset: 'Table of connection reset',
  connection_table_repaired: 'Table of connection repaired',
  scheduled_import_created: 'Scheduled import created',
  scheduled_import_updated: 'Scheduled import changed',
  scheduled_import_deleted: 'Scheduled import deleted',
};

/** Returns the title of the event, or the action itself if it is unknown. */
export const titleOf = ({ action }: AuditEvent): string => ACTIONS[action] ?? action;

/** Returns the name of the target, or its kind and id. Sessions have no name. */
export function targetOf({ target: { kind, name, id } }: AuditEvent): string | undefined {
  if (kind === 'session') return undefined;
  return name ?? `${kind} ${id}`;
}

/** Returns details such as `editor to admin` or `12 rows`, or undefined if there are none. */
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
      return details['reason'] === 'suspended' ? 'suspended' : 'wrong password';
    case 'column_converted':
      return `column ${text('column')}, ${text('from')} to ${text('to')}`;
    case 'column_removed':
      return `column ${text('column')}`;
    case 'rows_deleted':
    case 'rows_undone':
    case 'rows_restored':
      return details['rows'] === 1 ? '1 row' : `${text('rows')} rows`;
    default:
      return undefined;
  }
}

/** Returns the actor, the means and the address. */
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
      return `${email ?? 'Unknown'} with the key ${keyName ?? '(deleted)'}${from}`;
    case 'link':
      return `${email ?? 'Unknown'} with a link${from}`;
    case 'console':
      return `${email ?? 'Unknown'}${from}`;
  }
}
