import { auditText } from '../text/audit-text';

/** An event of the account's audit log. */
export interface AuditEvent {
  readonly id: string;
  readonly at: string;
  readonly action: string;
  readonly by: {
    readonly via:
      | 'console'
      | 'key'
      | 'application'
      | 'link'
      | 'scim'
      | 'operator'
      | 'service'
      | 'nobody';
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

const t = auditText.details;
const REASONS: Readonly<Record<string, string>> = {
  suspended: t.suspended,
  provider_required: t.providerRequired,
  wrong_code: t.wrongCode,
  wrong_passkey: t.wrongPasskey,
};
const ACTIONS: Readonly<Record<string, string>> = auditText.actions;

/** Returns the title of the event, or the action itself if it is unknown. */
export const titleOf = ({ action }: AuditEvent): string => ACTIONS[action] ?? action;

/** Returns the name of the target, or its kind and id. Sessions have no name. */
export function targetOf({ target: { kind, name, id } }: AuditEvent): string | undefined {
  if (kind === 'session') return undefined;
  return name ?? t.unnamed(kind, id);
}

/** Returns details such as `editor to admin` or `12 rows`, or undefined if there are none. */
export function circumstancesOf({ action, details }: AuditEvent): string | undefined {
  const text = (name: string): string => String(details[name] ?? '');
  switch (action) {
    case 'user_role_changed':
      return t.change(text('from'), text('to'));
    case 'user_created':
      return text('role');
    case 'key_created':
    case 'key_rotated':
    case 'key_revoked':
    case 'application_authorized':
    case 'application_revoked':
      return t.ofUser(text('user'));
    case 'sign_in_failed':
    case 'reauthentication_failed':
      return REASONS[text('reason')] ?? t.wrongPassword;
    case 'column_created':
      return t.newColumn(text('column'), text('type'));
    case 'column_updated':
      return t.columnProperties(text('column'), text('properties'));
    case 'scheduled_import_created':
    case 'scheduled_import_updated':
    case 'scheduled_import_deleted':
      return t.ofConnection(text('connection'));
    case 'column_converted':
      return t.columnChange(text('column'), text('from'), text('to'));
    case 'column_key_changed':
      return t.columnKeyChange(text('column'), text('to'));
    case 'column_removed':
    case 'column_restored':
      return t.column(text('column'));
    case 'rows_deleted':
    case 'rows_undone':
    case 'rows_restored':
      return details['rows'] === 1 ? t.oneRow : t.rows(text('rows'));
    default:
      return undefined;
  }
}

/** Returns the actor, the means and the address. */
export function actorOf({ by, address }: AuditEvent): string {
  const actor = actorAndMeansOf(by);
  return address === null ? actor : auditText.actors.from(actor, address);
}

function actorAndMeansOf({ via, email, keyName }: AuditEvent['by']): string {
  const { actors } = auditText;
  const user = email ?? actors.unknown;
  switch (via) {
    case 'operator':
      return actors.operator;
    case 'service':
      return actors.service;
    case 'scim':
      return actors.scim;
    case 'nobody':
      return actors.nobody;
    case 'key':
      return actors.withKey(user, keyName ?? actors.deletedKey);
    case 'application':
      return actors.withApplication(user, keyName ?? actors.deletedKey);
    case 'link':
      return actors.withLink(user);
    case 'console':
      return user;
  }
}
