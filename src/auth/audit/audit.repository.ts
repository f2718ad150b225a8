import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import type { AuditAction, Via } from './audit-action';
import { AuditEventEntity } from './audit-event.entity';

// A column that the import of an application adds is stored as by a key.
const EVENT = `
  SELECT e.id, e.at, e.action, CASE WHEN k.audience IS NULL THEN e.via ELSE 'application' END AS via,
    e.user_id AS "userId", u.email, e.key_id AS "keyId",
    k.name AS "keyName", e.target_kind AS "targetKind", e.target_id AS "targetId",
    e.target_name AS "targetName", e.details, e.address, e.position
  FROM audit_events e
  LEFT JOIN users u ON u.id = e.user_id
  LEFT JOIN api_keys k ON k.id = e.key_id`;

const LIST: Statement = {
  name: 'audit-list',
  text: `${EVENT}
    WHERE e.account_id = $1 AND e.id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
    ORDER BY e.id DESC LIMIT $3`,
};

const FEED: Statement = {
  name: 'audit-feed',
  text: `${EVENT}
    WHERE e.account_id = $1 AND e.position >= $2 ORDER BY e.position LIMIT $3`,
};

const HAS_NEW: Statement = {
  name: 'audit-has-new',
  // Without the order, the planner expects such events at once in the whole table, and scans it.
  text: `
    SELECT FROM audit_events WHERE account_id = $1 AND position IS NULL
    ORDER BY position, id LIMIT 1`,
};

const LOCK_POSITION: Statement = {
  name: 'audit-lock-position',
  text: `
    INSERT INTO audit_positions AS p (account_id, position) VALUES ($1, 0)
    ON CONFLICT (account_id) DO UPDATE SET position = p.position`,
};

/**
 * Gives positions to the first `$2` events that have none. An earlier statement must take the lock, so that
 * this one sees all given positions. Events that expire meanwhile are locked, and get none. The array lets
 * the planner find the events by their key.
 */
const GIVE_POSITIONS: Statement = {
  name: 'audit-give-positions',
  text: `
    WITH found AS (
      SELECT id FROM audit_events WHERE account_id = $1 AND position IS NULL
      ORDER BY position, id LIMIT $2 FOR UPDATE SKIP LOCKED
    ), placed AS (
      SELECT f.id, p.position + row_number() OVER (ORDER BY f.id) AS position
      FROM found f CROSS JOIN audit_positions p WHERE p.account_id = $1
    ), given AS (
      UPDATE audit_events e SET position = n.position FROM placed n
      WHERE e.account_id = $1 AND e.id = n.id AND e.id = ANY(ARRAY(SELECT id FROM found))
    )
    UPDATE audit_positions SET position = position + (SELECT count(*) FROM placed)
    WHERE account_id = $1`,
};

/**
 * Adds an event of a datagrid whose name the recording code does not know. The aggregate returns one
 * row even if the datagrid is gone.
 */
const INSERT_OF_DATAGRID: Statement = {
  name: 'audit-insert-of-datagrid',
  text: `
    INSERT INTO audit_events (account_id, id, action, via, user_id, key_id, target_kind, target_id,
      details, address, target_name)
    SELECT $1::uuid, $2::uuid, $3::text, $4::text, $5::uuid, $6::uuid, $7::text, $8::uuid,
      $9::jsonb, $10::text, max(name)
    FROM datagrids WHERE account_id = $1 AND id = $8
    RETURNING 1`,
};

/** An event with the current email address and key name of its actor. */
export interface AuditRecord {
  readonly id: string;
  readonly at: Date;
  readonly action: AuditAction;
  readonly via: Via;
  readonly userId: string | null;
  readonly email: string | null;
  readonly keyId: string | null;
  readonly keyName: string | null;
  readonly targetKind: string;
  readonly targetId: string;
  readonly targetName: string | null;
  readonly details: AuditEventEntity['details'];
  readonly address: string | null;
  /** `null` until somebody reads the feed. */
  readonly position: number | null;
}

/** Every statement names the account. */
@Injectable()
export class AuditRepository {
  constructor(private readonly database: Database) {}

  /** Adds an event. If it is of a datagrid without a name, the statement reads the current name. */
  async insert(event: Omit<AuditEventEntity, 'at' | 'position'>): Promise<void> {
    const { targetKind, targetName } = event;
    if (targetKind === 'datagrid' && targetName === null) {
      const { accountId, id, action, via, userId, keyId, targetId, details, address } = event;
      const what = [accountId, id, action, via, userId, keyId, targetKind, targetId];
      await this.database.run(INSERT_OF_DATAGRID, [...what, JSON.stringify(details), address]);
      return;
    }
    await this.database.repository(AuditEventEntity).insert(event);
  }

  async insertAll(events: readonly Omit<AuditEventEntity, 'at' | 'position'>[]): Promise<void> {
    await this.database.repository(AuditEventEntity).insert([...events]);
  }

  /** Lists an account's events, newest first. Starts after the event `beforeId`, if given. */
  async list(accountId: string, beforeId: string | null, limit: number): Promise<AuditRecord[]> {
    return this.database.run<AuditRecord>(LIST, [accountId, beforeId, limit]);
  }

  /** Lists the events of an account's feed from a position on. */
  async feed(accountId: string, position: number, limit: number): Promise<AuditRecord[]> {
    return this.database.run<AuditRecord>(FEED, [accountId, position, limit]);
  }

  /** Returns whether an account has committed events that are not in its feed yet. */
  async hasNew(accountId: string): Promise<boolean> {
    const found = await this.database.run(HAS_NEW, [accountId]);
    return found.length > 0;
  }

  /**
   * Adds up to `limit` committed events to the feed of an account, so that what is committed later comes
   * later.
   */
  async extendFeed(accountId: string, limit: number): Promise<void> {
    await this.database.transaction(async () => {
      await this.database.run(LOCK_POSITION, [accountId]);
      await this.database.run(GIVE_POSITIONS, [accountId, limit]);
    });
  }
}
