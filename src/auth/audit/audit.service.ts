import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/error/app-error';
import { newId } from '../../common/text/id';
import {
  type Actor,
  type AuditAction,
  type AuditTarget,
  userOf,
  type Via,
  viaOf,
} from './audit-action';
import type { AuditEventEntity } from './audit-event.entity';
import { type AuditRecord, AuditRepository } from './audit.repository';

/** Additional data of an event. Never contains a secret or row values. */
export interface AuditCircumstances {
  readonly details?: AuditEventEntity['details'];
  readonly address?: string | null;
}

/** An event of several that are recorded at once. */
export interface AuditEntry extends AuditCircumstances {
  readonly action: AuditAction;
  readonly target: AuditTarget;
}

export interface AuditPage {
  readonly events: readonly AuditRecord[];
  /** Cursor of the next page; `null` on the last one. */
  readonly nextCursor: string | null;
}

/** Place of an event in the feed. */
export interface AuditPlace {
  readonly position: number;
  readonly id: string;
}

export interface AuditFeedPage {
  readonly events: readonly AuditRecord[];
  /** Place of the last event that was read; `null` if none was. */
  readonly last: AuditPlace | null;
  /** Whether there are no further events. */
  readonly isLast: boolean;
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
    target: AuditTarget,
    circumstances: AuditCircumstances = {},
  ): Promise<void> {
    await this.repository.insert(eventOf(accountId, by, { action, target, ...circumstances }));
  }

  /** Records several events at once, none of a datagrid. */
  async recordAll(accountId: string, by: Actor, entries: readonly AuditEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await this.repository.insertAll(entries.map((entry) => eventOf(accountId, by, entry)));
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

  /**
   * Returns the next page of an account's feed. Events that are committed after a read come after those that
   * it returned, so that a reader misses none, however long their transactions took.
   * @param after Place of the last event that was read; `null` for the oldest one that is kept.
   * @throws AppError `cursor_expired` if events after the place may be gone.
   */
  async feed(accountId: string, after: AuditPlace | null, limit: number): Promise<AuditFeedPage> {
    const from = after?.position ?? 0;
    // With the event that was read last, and one more, which says whether there are others.
    const max = limit + 2;
    // Asked first: what is new to no reader by then is in the page, also if another reader adds it meanwhile.
    const hasNew = await this.repository.hasNew(accountId);
    let found = await this.repository.feed(accountId, from, max);
    if (after) requireSeen(after, found[0]);
    if (hasNew && found.length < max) {
      await this.repository.extendFeed(accountId, max);
      found = await this.repository.feed(accountId, from, max);
    }
    const unread = found.filter(({ position }) => position !== from);
    const events = unread.slice(0, limit);
    const last = events.at(-1);
    return {
      events,
      last: last ? { position: last.position ?? from, id: last.id } : after,
      isLast: unread.length <= limit,
    };
  }
}

function eventOf(
  accountId: string,
  by: Actor,
  { action, target: { kind, id, name }, details = {}, address = null }: AuditEntry,
): Omit<AuditEventEntity, 'at' | 'position'> {
  // The token may be gone when somebody reads the event.
  const token = typeof by !== 'string' && 'scimToken' in by ? { scimToken: by.scimToken.name } : {};
  return {
    ...{ accountId, id: newId(), action, via: viaOf(by), ...userOf(by) },
    ...{ targetKind: kind, targetId: id, targetName: name },
    ...{ details: { ...details, ...token }, address },
  };
}

/**
 * Requires that no event between the place and the first event from there on is gone: expired, or part of a
 * history before the database was restored.
 */
function requireSeen({ position, id }: AuditPlace, first: AuditRecord | undefined): void {
  if (first?.position === position ? first.id === id : first?.position === position + 1) return;
  const message =
    'Events after this cursor may no longer be available. Start over without a cursor.';
  throw new AppError('cursor_expired', message);
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
