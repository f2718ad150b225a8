import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../common/paging/page-request';
import { Database } from '../platform/database/database';
import { NEXT_VERSION } from '../platform/database/next-version';
import type { Statement } from '../platform/database/text-query';
import { HAS_UNDELIVERED } from './lane-sql';
import { type DisabledReason, WebhookEntity } from './webhook.entity';

/** A webhook without its secrets, and with its health, which is that of its lanes. */
export type WebhookRecord = Omit<
  WebhookEntity,
  'workspace' | 'secret' | 'previousSecret' | 'previousSecretUntil'
> & {
  /** Time of the oldest change whose event waits; `null` if none waits. */
  readonly oldestUndeliveredAt: Date | null;
  /** Highest number of failed attempts of an event that waits. */
  readonly consecutiveFailures: number;
};

export type NewWebhook = Pick<
  WebhookEntity,
  | 'id'
  | 'accountId'
  | 'workspaceId'
  | 'url'
  | 'description'
  | 'events'
  | 'datagridIds'
  | 'filter'
  | 'payload'
  | 'enabled'
  | 'secret'
>;

export type WebhookChange = Partial<
  Pick<
    WebhookEntity,
    'url' | 'description' | 'events' | 'datagridIds' | 'filter' | 'payload' | 'enabled'
  >
>;

const COLUMNS = `
  w.id, w.account_id AS "accountId", w.workspace_id AS "workspaceId", w.url, w.description, w.events,
  w.datagrid_ids AS "datagridIds", w.filter, w.payload, w.enabled, w.disabled_reason AS "disabledReason",
  w.last_success_at AS "lastSuccessAt", w.last_error_at AS "lastErrorAt",
  w.last_error AS "lastError", w.created_at AS "createdAt", w.updated_at AS "updatedAt", w.version,
  waiting.*`;

/**
 * Adds what the lanes tell of the health. A lane with failures repeats its first event, or the filter
 * of the webhook.
 */
export const WAITING = `
  CROSS JOIN LATERAL (
    SELECT min(e.changed_at) AS "oldestUndeliveredAt",
      coalesce(max(l.failures), 0) AS "consecutiveFailures"
    FROM webhook_lanes l LEFT JOIN webhook_events e
      ON e.webhook_id = l.webhook_id AND e.datagrid_id = l.datagrid_id
        AND e.sequence = l.last_delivered + 1
    WHERE l.webhook_id = w.id AND (l.last_event > l.last_delivered OR l.failures > 0)
  ) waiting`;

const OWN = 'w.workspace_id = $1 AND w.account_id = $2';

/** Reads the total and the page from one snapshot. An empty page is one row without an id. */
const LIST: Statement = {
  name: 'webhook-list',
  text: `
    SELECT t.total, p.*
    FROM (SELECT count(*) AS total FROM webhooks w WHERE ${OWN}) t
    LEFT JOIN LATERAL (
      SELECT ${COLUMNS} FROM webhooks w ${WAITING} WHERE ${OWN}
      ORDER BY w.id OFFSET $3 LIMIT $4
    ) p ON true
    ORDER BY p.id`,
};

const FIND: Statement = {
  name: 'webhook-find',
  text: `SELECT ${COLUMNS} FROM webhooks w ${WAITING} WHERE ${OWN} AND w.id = $3`,
};

const LOCK: Statement = {
  name: 'webhook-lock',
  text: `SELECT w.id FROM webhooks w WHERE ${OWN} AND w.id = $3 FOR UPDATE`,
};

const COUNT: Statement = {
  name: 'webhook-count',
  text: 'SELECT count(*) AS count FROM webhooks WHERE account_id = $1',
};

const DELETE: Statement = {
  name: 'webhook-delete',
  text: `DELETE FROM webhooks w WHERE ${OWN} AND w.id = $3`,
};

const UNDELIVERED: Statement = {
  name: 'webhook-undelivered',
  text: `
    SELECT w.id, w.url, count(*) AS datagrids
    FROM webhooks w
    JOIN webhook_lanes l ON l.webhook_id = w.id
    LEFT JOIN datagrid_counters c ON c.datagrid_id = l.datagrid_id
    WHERE w.workspace_id = $1
      AND ${HAS_UNDELIVERED}
    GROUP BY w.id, w.url ORDER BY w.id`,
};

const ROTATE: Statement = {
  name: 'webhook-rotate',
  text: `
    UPDATE webhooks SET previous_secret = CASE WHEN $4::boolean THEN secret END, secret = $2,
      previous_secret_until = now() + $3::int * interval '1 hour',
      version = version + 1, updated_at = now()
    WHERE id = $1`,
};

const FIND_KEYS: Statement = {
  name: 'webhook-find-keys',
  text: `
    SELECT secret, CASE WHEN previous_secret_until > now() THEN previous_secret END AS previous
    FROM webhooks WHERE id = $1`,
};

const DISABLE: Statement = {
  name: 'webhook-disable',
  text: `
    UPDATE webhooks SET enabled = false, disabled_reason = $2, version = version + 1,
      updated_at = now()
    WHERE id = $1 AND enabled AND ($3::text IS NULL OR filter = $3) RETURNING id`,
};

const UNKNOWN_DATAGRIDS: Statement = {
  name: 'webhook-unknown-datagrids',
  text: `
    SELECT g.id FROM unnest($3::uuid[]) AS g(id)
    WHERE NOT EXISTS (
      SELECT FROM datagrids d WHERE d.id = g.id AND d.workspace_id = $1 AND d.account_id = $2
        AND d.deleted_at IS NULL
    )`,
};

export interface UndeliveredWebhook {
  readonly id: string;
  readonly url: string;
  readonly datagrids: number;
}

type Listed = { readonly total: number } & (WebhookRecord | { readonly id: null });

/** Every statement names the account, or a webhook that was found with it. */
@Injectable()
export class WebhookRepository {
  constructor(private readonly database: Database) {}

  async insert(webhook: NewWebhook): Promise<void> {
    await this.database.repository(WebhookEntity).insert(webhook);
  }

  async count(accountId: string): Promise<number> {
    return (await this.database.run<{ count: number }>(COUNT, [accountId]))[0]?.count ?? 0;
  }

  /** Returns one page of webhooks, oldest first, and the total. */
  async list(
    accountId: string,
    workspaceId: string,
    { page, limit }: PageRequest,
  ): Promise<[WebhookRecord[], number]> {
    const values = [workspaceId, accountId, (page - 1) * limit, limit];
    const rows = await this.database.run<Listed>(LIST, values);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }

  async find(accountId: string, workspaceId: string, id: string): Promise<WebhookRecord | null> {
    const values = [workspaceId, accountId, id];
    return (await this.database.run<WebhookRecord>(FIND, values))[0] ?? null;
  }

  /** Locks a webhook until the end of the transaction. @returns whether there is one. */
  async lock(accountId: string, workspaceId: string, id: string): Promise<boolean> {
    return (await this.database.run(LOCK, [workspaceId, accountId, id])).length > 0;
  }

  /** Requires the lock. */
  async update(
    id: string,
    change: WebhookChange & { disabledReason?: DisabledReason | null },
  ): Promise<void> {
    await this.database.repository(WebhookEntity).update({ id }, { ...change, ...NEXT_VERSION });
  }

  /** Deletes a webhook with its lanes, events and attempts. Requires the lock. */
  async delete(accountId: string, workspaceId: string, id: string): Promise<void> {
    await this.database.run(DELETE, [workspaceId, accountId, id]);
  }

  /** Lists webhooks of a workspace with the number of datagrids whose changes are not delivered. */
  async listUndelivered(workspaceId: string): Promise<UndeliveredWebhook[]> {
    return this.database.run<UndeliveredWebhook>(UNDELIVERED, [workspaceId]);
  }

  /**
   * Replaces the key. Requires the lock.
   * @param secret The new key as it is to be stored.
   * @param keepsPrevious Whether the previous one signs, too, for some hours.
   */
  async rotate(
    id: string,
    secret: Buffer,
    previousHours: number,
    keepsPrevious: boolean,
  ): Promise<void> {
    await this.database.run(ROTATE, [id, secret, previousHours, keepsPrevious]);
  }

  /** Returns the keys that sign as they are stored, the current one first. */
  async listSecrets(id: string): Promise<Buffer[]> {
    const [found] = await this.database.run<{ secret: Buffer; previous: Buffer | null }>(
      FIND_KEYS,
      [id],
    );
    if (!found) return [];
    return found.previous ? [found.secret, found.previous] : [found.secret];
  }

  /**
   * @param filter If not `null`, disables only a webhook that has this filter.
   * @returns whether it was enabled.
   */
  async disable(id: string, reason: DisabledReason, filter: string | null): Promise<boolean> {
    return (await this.database.run(DISABLE, [id, reason, filter])).length > 0;
  }

  /** Returns those ids that are not of datagrids of the workspace outside the trash. */
  async listUnknownDatagrids(
    accountId: string,
    workspaceId: string,
    datagridIds: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const values = [workspaceId, accountId, datagridIds];
    const rows = await this.database.run<{ id: string }>(UNKNOWN_DATAGRIDS, values);
    return new Set(rows.map(({ id }) => id));
  }
}
