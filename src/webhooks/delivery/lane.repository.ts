import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
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

const IS_FAILING = '(w.consecutive_failures > 0 OR w.last_success_at IS NULL)';

const IS_FREE = 'l.next_attempt_at <= now() AND l.leased_until <= now()';

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

/**
 * Finds open lanes by the index, as many of each webhook as it may have at a time. So the cost grows
 * with the number of webhooks, not with that of lanes.
 */
const OPEN_LANES = `
      SELECT l.webhook_id, l.datagrid_id, w.account_id, ${IS_FAILING} AS is_failing
      FROM webhooks w
      CROSS JOIN LATERAL (
        SELECT l.webhook_id, l.datagrid_id FROM webhook_lanes l
        WHERE l.webhook_id = w.id AND l.is_open AND ${IS_FREE}
        ORDER BY l.next_attempt_at LIMIT $3::int
      ) l
      WHERE w.enabled AND CASE WHEN ${IS_FAILING}
        THEN $7::int > 0 AND w.account_id <> ALL($11::uuid[])
        ELSE $6::int > 0 AND w.account_id <> ALL($10::uuid[]) END`;

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

const GIVEN_LANES = `
      SELECT l.webhook_id, l.datagrid_id, w.account_id, ${IS_FAILING} AS is_failing
      FROM unnest($10::uuid[], $11::uuid[]) AS given(webhook_id, datagrid_id)
      JOIN webhook_lanes l USING (webhook_id, datagrid_id)
      JOIN webhooks w ON w.id = l.webhook_id
      WHERE w.enabled AND ${IS_FREE}`;

/** Opens the lanes that were found and not claimed, so that they are found later. */
const OPEN_OTHERS = `, others AS (
      SELECT l.webhook_id, l.datagrid_id
      FROM due JOIN webhook_lanes l USING (webhook_id, datagrid_id)
      WHERE NOT l.is_open AND NOT EXISTS (
        SELECT FROM locked
        WHERE locked.webhook_id = l.webhook_id AND locked.datagrid_id = l.datagrid_id
      )
      FOR UPDATE OF l SKIP LOCKED
    ), opened AS (
      UPDATE webhook_lanes l SET is_open = true
      FROM others WHERE l.webhook_id = others.webhook_id AND l.datagrid_id = others.datagrid_id
    )`;

/**
 * Claims lanes with work. Accounts and webhooks take turns. A lane that another sender claims at the
 * same time is skipped.
 * @param due Finds the lanes.
 */
const claim = (name: string, due: string, others = ''): Statement => ({
  name,
  text: `
    WITH due AS (${due}
    ), active AS (
      SELECT a.id, a.is_failing, a.count, w.account_id
      FROM unnest($1::uuid[], $2::int[], $9::boolean[]) AS a(id, count, is_failing)
      JOIN webhooks w ON w.id = a.id
    ), by_webhook AS (
      SELECT due.*, coalesce(active.count, 0)
        + row_number() OVER (PARTITION BY due.webhook_id ORDER BY random()) AS webhook_place
      FROM due LEFT JOIN (SELECT id, sum(count) AS count FROM active GROUP BY 1) active
        ON active.id = due.webhook_id
    ), by_account AS (
      SELECT b.*, coalesce(active.count, 0) + row_number() OVER (
          PARTITION BY b.account_id, b.is_failing ORDER BY b.webhook_place, random()
        ) AS account_place
      FROM by_webhook b
      LEFT JOIN (
        SELECT account_id, is_failing, sum(count) AS count FROM active GROUP BY 1, 2
      ) active ON active.account_id = b.account_id AND active.is_failing = b.is_failing
      WHERE b.webhook_place <= CASE WHEN b.is_failing THEN 1 ELSE $3::int END
    ), chosen AS (
      SELECT webhook_id, datagrid_id, is_failing, row_number() OVER (
          PARTITION BY is_failing ORDER BY account_place, random()
        ) AS place
      FROM by_account
      WHERE account_place <= CASE WHEN is_failing THEN $5::int ELSE $4::int END
    ), locked AS (
      SELECT l.webhook_id, l.datagrid_id, chosen.is_failing, now() AS at,
        (extract(epoch FROM l.revision_at) * 1000)::bigint AS at_ms
      FROM chosen JOIN webhook_lanes l USING (webhook_id, datagrid_id)
      WHERE chosen.place <= CASE WHEN chosen.is_failing THEN $7::int ELSE $6::int END
        AND l.leased_until <= now() AND l.next_attempt_at <= now()
      FOR UPDATE OF l SKIP LOCKED
    )${others}
    UPDATE webhook_lanes l
    SET token = l.token + 1, leased_until = now() + $8::int * interval '1 ms'
    FROM locked, webhooks w
    WHERE l.webhook_id = locked.webhook_id AND l.datagrid_id = locked.datagrid_id
      AND w.id = l.webhook_id
    RETURNING l.webhook_id AS "webhookId", l.datagrid_id AS "datagridId", l.revision, l.part,
      locked.at_ms AS "atMs", l.has_gap AS "hasGap",
      l.token, l.last_event AS "lastEvent", l.last_delivered AS "lastDelivered", l.failures,
      w.account_id AS "accountId", w.workspace_id AS "workspaceId", w.url, w.events, w.filter,
      w.payload,      w.secret, CASE WHEN w.previous_secret_until > locked.at THEN w.previous_secret END
        AS "previousSecret", locked.is_failing AS "isFailing"`,
});

/** Exported for the test of its plan. */
export const CLAIM = claim('webhook-lane-claim', OPEN_LANES);

const CLAIM_OF = claim('webhook-lane-claim-of', GIVEN_LANES, OPEN_OTHERS);

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
