import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import { HAS_UNDELIVERED } from '../lane-sql';

/** Condition for a lane that repeats its first event, or the filter of the webhook. */
const IS_REPEATED = 'l.failures > 0';

/**
 * Lanes of enabled webhooks with changes that are not delivered. A webhook whose last delivery failed
 * has one attempt at a time, so its other lanes wait for the endpoint, too.
 */
const LANES: Statement = {
  name: 'webhook-state-lanes',
  text: `
    SELECT CASE WHEN ${IS_REPEATED} OR w.consecutive_failures > 0 THEN 'failing' ELSE 'working' END AS state,
      count(*) AS waiting,
      coalesce(extract(epoch FROM now() - min(e.changed_at)), 0)::float8 AS "ageSeconds"
    FROM webhook_lanes l
    JOIN webhooks w ON w.id = l.webhook_id
    LEFT JOIN datagrid_counters c ON c.datagrid_id = l.datagrid_id
    LEFT JOIN webhook_events e ON e.webhook_id = l.webhook_id AND e.datagrid_id = l.datagrid_id
      AND e.sequence = l.last_delivered + 1
    WHERE w.enabled AND ${HAS_UNDELIVERED}
    GROUP BY 1`,
};

const WEBHOOKS: Statement = {
  name: 'webhook-state-webhooks',
  text: `
    SELECT CASE WHEN NOT w.enabled THEN 'disabled' WHEN r.webhook_id IS NOT NULL THEN 'failing'
      ELSE 'active' END AS status, count(*) AS count
    FROM webhooks w
    LEFT JOIN (SELECT DISTINCT l.webhook_id FROM webhook_lanes l WHERE ${IS_REPEATED}) r
      ON r.webhook_id = w.id
    GROUP BY 1`,
};

export interface LanesState {
  /** Whether the first event of the lane is repeated, or the last delivery of the webhook failed. */
  readonly state: 'working' | 'failing';
  /** Number of lanes with changes that are not delivered. */
  readonly waiting: number;
  /** Age of the oldest change whose event is stored and not delivered; 0 if there is none. */
  readonly ageSeconds: number;
}

export interface WebhookCount {
  readonly status: 'active' | 'failing' | 'disabled';
  readonly count: number;
}

/** Totals of all accounts, for metrics. */
@Injectable()
export class DeliveryStateRepository {
  constructor(private readonly database: Database) {}

  async countLanes(): Promise<LanesState[]> {
    return this.database.run<LanesState>(LANES);
  }

  async countWebhooks(): Promise<WebhookCount[]> {
    return this.database.run<WebhookCount>(WEBHOOKS);
  }
}
