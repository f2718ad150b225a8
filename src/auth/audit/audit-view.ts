import type { Via } from './actor';
import type { AuditAction } from './audit-action';
import type { AuditRecord } from './audit.repository';

/** An audit event as the API returns it. Times are printed as RFC 3339. */
export interface AuditEventView {
  readonly id: string;
  readonly at: Date;
  readonly action: AuditAction;
  readonly by: {
    readonly via: Via;
    readonly userId: string | null;
    readonly email: string | null;
    readonly keyId: string | null;
    readonly keyName: string | null;
  };
  readonly target: {
    readonly kind: string;
    readonly id: string;
    /** Name at the time of the event. */
    readonly name: string | null;
  };
  readonly details: AuditRecord['details'];
  readonly address: string | null;
}

export function auditEventView(record: AuditRecord): AuditEventView {
  const { id, at, action, via, userId, email, keyId, keyName, details, address } = record;
  const { targetKind: kind, targetId, targetName: name } = record;
  return {
    id,
    at,
    action,
    by: { via, userId, email, keyId, keyName },
    target: { kind, id: targetId, name },
    details,
    address,
  };
}
