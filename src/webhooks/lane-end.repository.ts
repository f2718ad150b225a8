import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import type { EventReader } from './delivery/event-source';
import type { Deletion, LanePosition } from './delivery/event-plan';
import type { WaitingEvent } from './delivery/lane.repository';
import { FENCED } from './lane-set.repository';

/** A lane that has not read the whole log of a datagrid that is purged. */
export interface UnfinishedLane extends EventReader, Deletion, Omit<LanePosition, 'atMs'> {
  readonly webhookId: string;
  readonly lastEvent: number;
}

/** Locks the lanes that have something left to read, and reads the end of the log. */
const LOCK_UNFINISHED: Statement = {
  name: 'webhook-lane-end-lock',
  text: `
    SELECT l.webhook_id AS "webhookId", l.datagrid_id AS "datagridId", l.revision, l.part,
      l.has_gap AS "hasGap", l.last_event AS "lastEvent", w.account_id AS "accountId",
      w.workspace_id AS "workspaceId", w.events, w.payload, c.revision AS head,
      (extract(epoch FROM coalesce(e.at, now())) * 1000)::bigint AS "atMs", e.user_id AS "userId",
      e.key_id AS "keyId"
    FROM webhook_lanes l
    JOIN webhooks w ON w.id = l.webhook_id
    JOIN datagrid_counters c ON c.datagrid_id = $1
    LEFT JOIN datagrid_changes e ON e.datagrid_id = $1 AND e.revision = c.revision
      AND e.kind = 'trashed'
    WHERE l.datagrid_id = $1 AND (l.revision <> c.revision OR l.part IS NOT NULL OR l.has_gap)
    ORDER BY l.webhook_id FOR UPDATE OF l`,
};

/** Stores the last events of lanes, and moves them to the end of the log. */
const STORE: Statement = {
  name: 'webhook-lane-end-store',
  text: `
    WITH stored AS (
      INSERT INTO webhook_events (webhook_id, datagrid_id, sequence, message_id, type,
        from_revision, revision, changed_at, body)
      SELECT e.webhook_id, $1, e.sequence, e.message_id, e.type, e.low, e.high, e.at, e.body
      FROM unnest($5::uuid[], $6::bigint[], $7::text[], $8::text[], $9::bigint[], $10::bigint[],
        $11::timestamptz[], $12::text[])
        AS e(webhook_id, sequence, message_id, type, low, high, at, body)
    )
    UPDATE webhook_lanes l
    SET revision = lane.revision, part = NULL, revision_at = NULL, has_gap = false,
      last_event = lane.last_event, is_open = true, ${FENCED('$13')}
    FROM unnest($2::uuid[], $3::bigint[], $4::bigint[]) AS lane(webhook_id, revision, last_event)
    WHERE l.webhook_id = lane.webhook_id AND l.datagrid_id = $1`,
};

/** The lanes of datagrids that are purged. */
@Injectable()
export class LaneEndRepository {
  constructor(private readonly database: Database) {}

  /** Locks the unfinished lanes of a datagrid until the end of the transaction. */
  async lockUnfinished(datagridId: string): Promise<UnfinishedLane[]> {
    return this.database.run<UnfinishedLane>(LOCK_UNFINISHED, [datagridId]);
  }

  /**
   * Stores the last events of the locked lanes. Senders in progress lose them.
   * @param waitMs Time that an attempt in progress can take.
   */
  async store(
    datagridId: string,
    ends: readonly { readonly lane: UnfinishedLane; readonly events: readonly WaitingEvent[] }[],
    waitMs: number,
  ): Promise<void> {
    const numbered = ends.flatMap(({ lane: { webhookId, lastEvent }, events }) =>
      events.map((event, index) => ({ ...event, webhookId, sequence: lastEvent + 1 + index })),
    );
    await this.database.run(STORE, [
      datagridId,
      ends.map(({ lane }) => lane.webhookId),
      ends.map(({ lane }) => lane.head),
      ends.map(({ lane, events }) => lane.lastEvent + events.length),
      numbered.map(({ webhookId }) => webhookId),
      numbered.map(({ sequence }) => sequence),
      numbered.map(({ messageId }) => messageId),
      numbered.map(({ type }) => type),
      numbered.map(({ fromRevision }) => fromRevision),
      numbered.map(({ revision }) => revision),
      numbered.map(({ changedAt }) => changedAt),
      numbered.map(({ body }) => body),
      waitMs,
    ]);
  }
}
