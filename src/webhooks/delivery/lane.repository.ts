import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { CLAIM, CLAIM_OF, IS_FREE } from './lane-claim-sql';
import type { SubscribedType } from '../event-type';
import { HAS_UNDELIVERED } from '../lane-sql';
import type { Payload } from '../webhook.entity';
import type { LogPosition } from './change-log.repository';

/** The lane of a webhook and a datagrid, claimed by this process. */
export interface Lane extends LogPosition {
  readonly webhookId: string;
  readonly datagridId: string;
  readonly accountId: string;
  readonly workspaceId: string;
  readonly token: number;
  readonly lastEvent: number;
  readonly lastDelivered: number;
  /** Whether the next event is `changes.gap`. */
  readonly hasGap: boolean;
  /** Failed attempts of the first waiting event. */
  readonly failures: number;
  readonly url: string;
  readonly events: readonly SubscribedType[];
  /** Text of a `StoredFilter`; `null` if rows are not filtered. */
  readonly filter: string | null;
  readonly payload: Payload;
  /** Key of the signatures, as it is stored. */
  readonly secret: Buffer;
  /** The key before a rotation, while it still signs. */
  readonly previousSecret: Buffer | null;
  /** Whether the last delivery of the webhook failed, or it has had no successful one. */
  readonly isFailing: boolean;
}

/** An event with its body. */
export interface WaitingEvent {
  readonly messageId: string;
  readonly type: string;
  readonly fromRevision: number;
  readonly revision: number;
  readonly changedAt: Date;
  readonly body: string;
}

/** Lanes of a webhook in progress in this process. */
export interface ActiveLanes {
  readonly webhookId: string;
  /** Whether they hold places of webhooks that fail; `null` if they hold neither. */
  readonly isFailing: boolean | null;
  readonly count: number;
}

/** Deliveries that this process may start, and those in progress. */
export interface ClaimBounds {
  /** Lanes of webhooks that work, and of others. */
  readonly healthy: number;
  readonly failing: number;
  /** Maximum number of lanes of one account, separately for webhooks that work and others. */
  readonly perAccount: number;
  readonly perFailingAccount: number;
  /** Maximum number of lanes of one webhook. One that fails has at most one. */
  readonly perWebhook: number;
  readonly active: readonly ActiveLanes[];
  /** Accounts that have all of their places. Their lanes, which can be many, are not looked at. */
  readonly fullAccounts: readonly string[];
  readonly fullFailingAccounts: readonly string[];
  readonly leaseMs: number;
}

/** Result of the attempts of a lane. */
export interface Settlement {
  /** Number of the last delivered event. */
  readonly lastDelivered: number;
  /** Failed attempts of the first event after it. */
  readonly failures: number;
  /**
   * Delay before a sender looks at the lane again; `null` if it keeps its sender, or has nothing left
   * to deliver.
   */
  readonly delayMs: number | null;
  /** Whether nothing is left to deliver. */
  readonly isDrained: boolean;
  /** Whether the lane is released, or claimed for `leaseMs` more. */
  readonly isReleased: boolean;
  readonly leaseMs: number;
}

/**
 * Adds lanes of datagrids that were created after the webhook. They begin at the first revision.
 * Those that existed before got their lanes with the webhook.
 */
const add = (name: string, condition: string): Statement => ({
  name,
  text: `
    INSERT INTO webhook_lanes (webhook_id, datagrid_id, revision)
    SELECT w.id, d.id, 0 FROM webhooks w JOIN datagrids d ON d.workspace_id = w.workspace_id
    WHERE w.enabled AND w.datagrid_ids IS NULL AND NOT EXISTS (
      SELECT FROM webhook_lanes l WHERE l.webhook_id = w.id AND l.datagrid_id = d.id
    ) ${condition}
    ON CONFLICT DO NOTHING`,
});

const ADD = add('webhook-lane-add', '');

const ADD_OF = add('webhook-lane-add-of', 'AND d.id = ANY($1::uuid[])');

const HAS_ANY: Statement = {
  name: 'webhook-has-any',
  text: 'SELECT EXISTS (SELECT FROM webhooks WHERE enabled) AS any',
};

/** Maximum number of lanes that one statement opens. */
const MAX_OPENED = 10_000;

/**
 * Finds lanes that have something to deliver and no sender: those of processes that were killed, and
 * those whose changes no sender has noticed. Reads all lanes. Citus cannot lock rows of the coordinator
 * in a statement that reads datagrids.
 */
const MISSED: Statement = {
  name: 'webhook-lane-missed',
  text: `
    SELECT l.webhook_id AS "webhookId", l.datagrid_id AS "datagridId"
    FROM webhook_lanes l
    JOIN webhooks w ON w.id = l.webhook_id
    LEFT JOIN datagrid_counters c ON c.datagrid_id = l.datagrid_id
    WHERE w.enabled AND NOT l.is_open AND l.leased_until <= now() AND ${HAS_UNDELIVERED}
    LIMIT ${String(MAX_OPENED)}`,
};

const OPEN: Statement = {
  name: 'webhook-lane-open',
  text: `
    WITH missed AS (
      SELECT webhook_id, datagrid_id
      FROM unnest($1::uuid[], $2::uuid[]) AS given(webhook_id, datagrid_id)
      JOIN webhook_lanes l USING (webhook_id, datagrid_id)
      WHERE NOT l.is_open AND l.leased_until <= now()
      FOR UPDATE OF l SKIP LOCKED
    )
    UPDATE webhook_lanes l SET is_open = true
    FROM missed WHERE l.webhook_id = missed.webhook_id AND l.datagrid_id = missed.datagrid_id`,
};

/** Finds the lanes of some datagrids that have something to deliver. */
const DUE_OF: Statement = {
  name: 'webhook-lane-due-of',
  text: `
    SELECT l.webhook_id AS "webhookId", l.datagrid_id AS "datagridId"
    FROM webhook_lanes l
    JOIN webhooks w ON w.id = l.webhook_id
    LEFT JOIN datagrid_counters c ON c.datagrid_id = l.datagrid_id
    WHERE w.enabled AND l.datagrid_id = ANY($1::uuid[]) AND ${IS_FREE} AND ${HAS_UNDELIVERED}`,
};

const LIST_WAITING: Statement = {
  name: 'webhook-event-list',
  text: `
    SELECT message_id AS "messageId", type, from_revision AS "fromRevision", revision,
      changed_at AS "changedAt", body
    FROM webhook_events
    WHERE webhook_id = $1 AND datagrid_id = $2 AND sequence > $3 ORDER BY sequence LIMIT 1`,
};

/** Stores events and moves the position in one statement, if the lane is still claimed. */
const STORE: Statement = {
  name: 'webhook-event-store',
  text: `
    WITH lane AS (
      UPDATE webhook_lanes SET revision = $4, part = $5, revision_at = $14::timestamptz,
        has_gap = false, last_event = last_event + $6::int,
        leased_until = now() + $7::int * interval '1 ms'
      WHERE webhook_id = $1 AND datagrid_id = $2 AND token = $3
      RETURNING last_event - $6::int AS first
    ), stored AS (
      INSERT INTO webhook_events (webhook_id, datagrid_id, sequence, message_id, type,
        from_revision, revision, changed_at, body)
      SELECT $1, $2, lane.first + e.n, e.message_id, e.type, e.low, e.high, e.at, e.body
      FROM lane, unnest($8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::timestamptz[],
        $13::text[]) WITH ORDINALITY AS e(message_id, type, low, high, at, body, n)
    )
    SELECT first FROM lane`,
};

/**
 * Ends attempts: deletes delivered events, and plans the next attempt after `$6` ms. `NULL` changes no
 * plan, so that PostgreSQL changes no index.
 */
const SETTLE: Statement = {
  name: 'webhook-lane-settle',
  text: `
    WITH lane AS (
      UPDATE webhook_lanes
      SET failing_since = CASE WHEN $5::int = 0 THEN NULL
          WHEN last_delivered = $4::bigint THEN coalesce(failing_since, now()) ELSE now() END,
        last_delivered = $4::bigint, failures = $5::int,
        next_attempt_at = CASE WHEN $6::int IS NULL THEN next_attempt_at
          ELSE now() + $6::int * interval '1 ms' END,
        is_open = CASE WHEN $9::boolean THEN false WHEN $6::int IS NULL THEN is_open ELSE true END,
        leased_until = now() + $7::int * interval '1 ms'
      WHERE webhook_id = $1 AND datagrid_id = $2 AND token = $3
      RETURNING failing_since
    ), deleted AS (
      DELETE FROM webhook_events
      WHERE webhook_id = $1 AND datagrid_id = $2 AND sequence <= $4::bigint
        AND EXISTS (SELECT FROM lane)
    )
    SELECT coalesce(failing_since < now() - $8::int * interval '1 hour', false) AS "isTooLong"
    FROM lane`,
};

type LaneKey = Pick<Lane, 'webhookId' | 'datagridId'>;

function keysOf(lanes: readonly LaneKey[]): string[][] {
  return [lanes.map(({ webhookId }) => webhookId), lanes.map(({ datagridId }) => datagridId)];
}

/** Access to lanes. A statement on a claimed lane changes nothing once the claim has passed on. */
@Injectable()
export class LaneRepository {
  constructor(private readonly database: Database) {}

  /** Returns whether any webhook is enabled. */
  async hasAny(): Promise<boolean> {
    const [found] = await this.database.run<{ any: boolean }>(HAS_ANY);
    return found?.any === true;
  }

  /** @param datagridIds Adds only lanes of these datagrids, if given. */
  async addMissing(datagridIds?: readonly string[]): Promise<void> {
    if (datagridIds === undefined) await this.database.run(ADD);
    else await this.database.run(ADD_OF, [datagridIds]);
  }

  /** Opens lanes that have something to deliver and no sender. Reads all lanes. */
  async openMissed(): Promise<void> {
    const missed = await this.database.run<LaneKey>(MISSED);
    if (missed.length > 0) await this.database.run(OPEN, keysOf(missed));
  }

  /**
   * Claims open lanes.
   * @param datagridIds If given, claims lanes of these datagrids, also if they are not open, and opens
   *   those that cannot be claimed now.
   */
  async claim(bounds: ClaimBounds, datagridIds?: readonly string[]): Promise<Lane[]> {
    const values: unknown[] = [
      bounds.active.map(({ webhookId }) => webhookId),
      bounds.active.map(({ count }) => count),
      bounds.perWebhook,
      bounds.perAccount,
      bounds.perFailingAccount,
      bounds.healthy,
      bounds.failing,
      bounds.leaseMs,
      bounds.active.map(({ isFailing }) => isFailing),
    ];
    if (datagridIds === undefined) {
      const full = [bounds.fullAccounts, bounds.fullFailingAccounts];
      return this.database.run<Lane>(CLAIM, [...values, ...full]);
    }
    const due = await this.database.run<LaneKey>(DUE_OF, [datagridIds]);
    if (due.length === 0) return [];
    return this.database.run<Lane>(CLAIM_OF, [...values, ...keysOf(due)]);
  }

  /** Returns the first waiting event. */
  async findWaiting(lane: Lane, after: number): Promise<WaitingEvent | null> {
    const values = [lane.webhookId, lane.datagridId, after];
    const [event] = await this.database.run<WaitingEvent>(LIST_WAITING, values);
    return event ?? null;
  }

  /**
   * Stores events before their first attempt, and moves the position.
   * @returns the number of the event before the first one; `null` if the claim has passed on.
   */
  async store(
    lane: Lane,
    events: readonly WaitingEvent[],
    { revision, part, atMs }: LogPosition,
    leaseMs: number,
  ): Promise<number | null> {
    const [stored] = await this.database.run<{ first: number }>(STORE, [
      lane.webhookId,
      lane.datagridId,
      lane.token,
      revision,
      part,
      events.length,
      leaseMs,
      events.map(({ messageId }) => messageId),
      events.map(({ type }) => type),
      events.map(({ fromRevision }) => fromRevision),
      events.map((event) => event.revision),
      events.map(({ changedAt }) => changedAt),
      events.map(({ body }) => body),
      atMs === null ? null : new Date(atMs),
    ]);
    return stored?.first ?? null;
  }

  /**
   * Stores the result of attempts.
   * @param maxFailingHours Time after which `isTooLong` is true.
   * @returns `null` if the claim has passed on.
   */
  async settle(
    lane: Lane,
    { lastDelivered, failures, delayMs, isDrained, isReleased, leaseMs }: Settlement,
    maxFailingHours: number,
  ): Promise<{ readonly isTooLong: boolean } | null> {
    const [settled] = await this.database.run<{ isTooLong: boolean }>(SETTLE, [
      lane.webhookId,
      lane.datagridId,
      lane.token,
      lastDelivered,
      failures,
      delayMs,
      isReleased ? 0 : leaseMs,
      maxFailingHours,
      isDrained,
    ]);
    return settled ?? null;
  }
}
