import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';

/** Adds lanes of the webhook's datagrids that have none, at their current revision. */
const ADD: Statement = {
  name: 'webhook-lanes-add-at-head',
  text: `
    INSERT INTO webhook_lanes (webhook_id, datagrid_id, revision)
    SELECT w.id, d.id, c.revision
    FROM webhooks w
    JOIN datagrids d ON d.workspace_id = w.workspace_id
      AND (w.datagrid_ids IS NULL OR d.id = ANY(w.datagrid_ids))
    JOIN datagrid_counters c ON c.datagrid_id = d.id
    WHERE w.id = $1
    ON CONFLICT DO NOTHING`,
};

/** Removes lanes of other datagrids, and their events. */
const REMOVE_OTHERS: Statement = {
  name: 'webhook-lanes-remove-others',
  text: `
    WITH lane AS (
      DELETE FROM webhook_lanes l USING webhooks w
      WHERE w.id = $1 AND l.webhook_id = w.id AND w.datagrid_ids IS NOT NULL
        AND l.datagrid_id <> ALL(w.datagrid_ids)
      RETURNING l.datagrid_id
    )
    DELETE FROM webhook_events e USING lane
    WHERE e.webhook_id = $1 AND e.datagrid_id = lane.datagrid_id`,
};

/** A lane with a sender stays claimed until the attempt in progress has ended. */
export const FENCED = (waitMs: string): string => `
  token = token + 1, leased_until = CASE WHEN leased_until > now()
    THEN now() + ${waitMs}::int * interval '1 ms' ELSE now() END`;

const FENCE: Statement = {
  name: 'webhook-lanes-fence',
  text: `UPDATE webhook_lanes SET ${FENCED('$2')} WHERE webhook_id = $1`,
};

/** Ends the wait for the next attempt. */
const RESUME: Statement = {
  name: 'webhook-lanes-resume',
  text: `
    UPDATE webhook_lanes SET next_attempt_at = now(), failures = 0, failing_since = NULL
    WHERE webhook_id = $1`,
};

const LIST: Statement = {
  name: 'webhook-lanes-list',
  text: `
    SELECT datagrid_id AS "datagridId", revision FROM webhook_lanes
    WHERE webhook_id = $1 ORDER BY datagrid_id`,
};

const COUNT: Statement = {
  name: 'webhook-lanes-count',
  text: `
    SELECT count(*) AS count FROM webhook_lanes l JOIN webhooks w ON w.id = l.webhook_id
    WHERE w.account_id = $1`,
};

/** Entries after these revisions are still needed. The events of earlier ones are already stored. */
const READ_REVISIONS: Statement = {
  name: 'webhook-lanes-read-revisions',
  text: `
    SELECT l.datagrid_id AS "datagridId", min(l.revision) AS revision
    FROM webhook_lanes l JOIN webhooks w ON w.id = l.webhook_id
    WHERE l.datagrid_id = ANY($1::uuid[]) AND w.enabled
    GROUP BY l.datagrid_id`,
};

/**
 * Locks lanes. Runs as its own statement so that the next one sees the events that a sender has stored
 * while this one waited, and locks lanes before events, as senders do.
 */
const LOCK: Statement = {
  name: 'webhook-lanes-lock',
  text: `
    SELECT FROM webhook_lanes WHERE webhook_id = $1 AND datagrid_id = ANY($2::uuid[])
    ORDER BY datagrid_id FOR UPDATE`,
};

/**
 * Moves the positions of lanes back, all at once: the locks of lanes make their senders wait. Waiting
 * events after a position are deleted, because they are created again. A sender in progress loses the
 * lane, which stays claimed until its attempt has ended.
 */
const MOVE_BACK: Statement = {
  name: 'webhook-lanes-move-back',
  text: `
    WITH goal AS (
      SELECT * FROM unnest($2::uuid[], $3::bigint[]) AS goal(datagrid_id, revision)
    ), deleted AS (
      DELETE FROM webhook_events e USING goal
      WHERE e.webhook_id = $1 AND e.datagrid_id = goal.datagrid_id AND e.revision > goal.revision
      RETURNING e.datagrid_id, e.from_revision
    ), lane AS (
      SELECT goal.datagrid_id, least(goal.revision, min(d.from_revision)) AS revision,
        count(d.datagrid_id) AS deleted
      FROM goal LEFT JOIN deleted d ON d.datagrid_id = goal.datagrid_id
      GROUP BY goal.datagrid_id, goal.revision
    )
    UPDATE webhook_lanes l
    SET revision = lane.revision, part = NULL, revision_at = NULL,
      last_event = last_event - lane.deleted,
      failures = CASE WHEN last_event - lane.deleted > last_delivered THEN failures ELSE 0 END,
      next_attempt_at = now(), is_open = true, ${FENCED('$4')}
    FROM lane JOIN goal USING (datagrid_id)
    WHERE l.webhook_id = $1 AND l.datagrid_id = lane.datagrid_id AND l.revision > goal.revision`,
};

const NEXT_WEBHOOK: Statement = {
  name: 'webhook-lanes-next-webhook',
  text: `
    SELECT l.webhook_id AS id FROM webhook_lanes l JOIN webhooks w ON w.id = l.webhook_id
    WHERE l.webhook_id > $2 AND ($1::uuid IS NULL OR w.account_id = $1)
    ORDER BY l.webhook_id LIMIT 1`,
};

/** A sender in progress loses the lane, so that it does not store events from before the gap. */
const MARK_GAPS: Statement = {
  name: 'webhook-lanes-mark-gaps',
  text: `
    UPDATE webhook_lanes SET has_gap = true, is_open = true, token = token + 1
    WHERE webhook_id = $1 RETURNING 1`,
};

export interface ListedLane {
  readonly datagridId: string;
  readonly revision: number;
}

/**
 * Lanes of one webhook, which the caller has locked. Methods on the lanes of several webhooks need no
 * lock.
 */
@Injectable()
export class LaneSetRepository {
  constructor(private readonly database: Database) {}

  /** Makes the lanes those of the webhook's datagrids. New ones begin at the current revision. */
  async align(webhookId: string): Promise<void> {
    await this.database.run(REMOVE_OTHERS, [webhookId]);
    await this.database.run(ADD, [webhookId]);
  }

  /**
   * Takes the lanes from their senders, which stop after the attempt in progress.
   * @param waitMs Time that an attempt in progress can take.
   */
  async fence(webhookId: string, waitMs: number): Promise<void> {
    await this.database.run(FENCE, [webhookId, waitMs]);
  }

  /** Makes the next attempt of each lane due now. */
  async resume(webhookId: string): Promise<void> {
    await this.database.run(RESUME, [webhookId]);
  }

  /** Lists the lanes with their positions, in the order of the datagrids' ids. */
  async list(webhookId: string): Promise<ListedLane[]> {
    return this.database.run<ListedLane>(LIST, [webhookId]);
  }

  /** Counts the lanes of all webhooks of an account. */
  async count(accountId: string): Promise<number> {
    return (await this.database.run<{ count: number }>(COUNT, [accountId]))[0]?.count ?? 0;
  }

  /** Returns the next webhook, by id after `webhookId`, that has lanes; `null` at the end. */
  async findNextWebhook(accountId: string | null, webhookId: string): Promise<string | null> {
    const [next] = await this.database.run<{ id: string }>(NEXT_WEBHOOK, [accountId, webhookId]);
    return next?.id ?? null;
  }

  /** Makes `changes.gap` the next event of each lane. @returns the number of lanes. */
  async markGaps(webhookId: string): Promise<number> {
    return (await this.database.run(MARK_GAPS, [webhookId])).length;
  }

  /** Returns the lowest revision of the enabled webhooks of each datagrid, without a lock. */
  async listReadRevisions(datagridIds: readonly string[]): Promise<ListedLane[]> {
    return this.database.run<ListedLane>(READ_REVISIONS, [datagridIds]);
  }

  /**
   * Moves lanes to earlier revisions, so that the changes after them are delivered again.
   * @param waitMs Time that an attempt in progress can take.
   */
  async moveBack(
    webhookId: string,
    positions: readonly ListedLane[],
    waitMs: number,
  ): Promise<void> {
    const datagridIds = positions.map(({ datagridId }) => datagridId);
    const revisions = positions.map(({ revision }) => revision);
    await this.database.run(LOCK, [webhookId, datagridIds]);
    await this.database.run(MOVE_BACK, [webhookId, datagridIds, revisions, waitMs]);
  }
}
