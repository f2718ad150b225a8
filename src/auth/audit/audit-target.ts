/** What something was done to. */
export interface AuditTarget {
  readonly kind: 'account' | 'user' | 'session' | 'key' | 'workspace' | 'datagrid';
  readonly id: string;
  /** As it is called at the time; `null` where it has no name, or whoever records does not have it. */
  readonly name: string | null;
}

/** @param name Of a user the e-mail address. */
export function auditTarget(
  kind: AuditTarget['kind'],
  id: string,
  name: string | null = null,
): AuditTarget {
  return { kind, id, name };
}
