/** Object of an audited action. */
export interface AuditTarget {
  readonly kind: 'account' | 'user' | 'session' | 'key' | 'workspace' | 'datagrid';
  readonly id: string;
  /** Current name; `null` if the object has no name or the recording code does not know it. */
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
