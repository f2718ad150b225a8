import { Injectable } from '@nestjs/common';
import { newId } from '../../common/text/id';
import { type Actor, type AuditAction, type AuditTarget, type Via, viaOf } from './audit-action';
import type { AuditEventEntity } from './audit-event.entity';
import { type AuditRecord, AuditRepository } from './audit.repository';

/** Additional data of an event. Never contains a secret or row values. */
export interface AuditCircumstances {
  readonly details?: AuditEventEntity['details'];
  readonly address?: string | null;
}

export interface AuditPage {
  readonly events: readonly AuditRecord[];
  /** Cursor of the next page; `null` on the last one. */
  readonly nextCursor: string | null;
}

/**
 * The audit log of an account, for its owners: what was done, and by whom. The code that performs
 * an action records it in the same transaction, so that neither exists without the other.
 */
@Injectable()
export class AuditService {
  constructor(private readonly repository: AuditRepository) {}

  async record(
    accountId: string,
    by: Actor,
    action: AuditAction,
    { kind, id, name }: AuditTarget,
    { details = {}, address = null }: AuditCircumstances = {},
  ): Promise<void> {
    await this.repository.insert({
      accountId,
      id: newId(),
      action,
      via: viaOf(by),
      userId: typeof by === 'string' ? null : by.userId,
      keyId: typeof by === 'string' ? null : by.keyId,
      targetKind: kind,
      targetId: id,
      targetName: name,
      details,
      address,
    });
  }

  /**
   * Returns a page of an account's events, newest first.
   * @param cursor `nextCursor` of the previous page.
   */
  async list(accountId: string, cursor: string | null, limit: number): Promise<AuditPage> {
    const found = await this.repository.list(accountId, cursor, limit + 1);
    const events = found.slice(0, limit);
    return { events, nextCursor: found.length > limit ? (events.at(-1)?.id ?? null) : null };
  }
}

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
