import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database';
import type { Statement } from '../platform/database/text-query';
import { WAITING, type WebhookRecord } from './webhook.repository';

/** A webhook as operators see it, with the account that owns it. */
export type OperatedWebhook = Pick<
  WebhookRecord,
  | 'id'
  | 'accountId'
  | 'workspaceId'
  | 'url'
  | 'enabled'
  | 'disabledReason'
  | 'lastErrorAt'
  | 'lastError'
  | 'consecutiveFailures'
  | 'oldestUndeliveredAt'
>;

/** Webhooks that a list has. An absent property restricts nothing. */
export interface WebhookFilter {
  readonly account?: string;
  readonly workspace?: string;
  /** Only enabled ones of which an event is repeated. */
  readonly failing?: boolean;
}

const COLUMNS = `
  w.id, w.account_id AS "accountId", w.workspace_id AS "workspaceId", w.url, w.enabled,
  w.disabled_reason AS "disabledReason", w.last_error_at AS "lastErrorAt",
  w.last_error AS "lastError", waiting.*`;

const LIST: Statement = {
  name: 'webhook-admin-list',
  text: `
    SELECT ${COLUMNS}, count(*) OVER () AS total
    FROM webhooks w ${WAITING}
    WHERE ($1::uuid IS NULL OR w.account_id = $1) AND ($2::uuid IS NULL OR w.workspace_id = $2)
      AND (NOT $3::boolean OR (w.enabled AND waiting."consecutiveFailures" > 0))
    ORDER BY w.enabled DESC, waiting."oldestUndeliveredAt" NULLS LAST, w.id LIMIT $4`,
};

const FIND: Statement = {
  name: 'webhook-admin-find',
  text: `SELECT ${COLUMNS} FROM webhooks w ${WAITING} WHERE w.id = $1`,
};

/** Webhooks of all accounts, for operators only. */
@Injectable()
export class WebhookAdminRepository {
  constructor(private readonly database: Database) {}

  /** Lists webhooks, those first whose events wait longest, disabled ones last; and their total. */
  async list(
    { account, workspace, failing = false }: WebhookFilter,
    limit: number,
  ): Promise<[OperatedWebhook[], number]> {
    const values = [account ?? null, workspace ?? null, failing, limit];
    const found = await this.database.run<OperatedWebhook & { total: number }>(LIST, values);
    return [found, found[0]?.total ?? 0];
  }

  async find(id: string): Promise<OperatedWebhook | null> {
    return (await this.database.run<OperatedWebhook>(FIND, [id]))[0] ?? null;
  }
}
