import { Injectable } from '@nestjs/common';
import type { PageRequest } from '../../common/paging/page-request';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import type { WebhookAttemptEntity } from '../webhook.entity';

export type Attempt = Omit<WebhookAttemptEntity, 'webhookId' | 'webhook'>;

/** Time for which `last_success_at` may be out of date, so that not every delivery updates it. */
const HEALTH_PRECISION_SECONDS = 10;

/** Inserts attempts. Does nothing if the webhook was deleted. */
const INSERT = `
    INSERT INTO webhook_attempts (webhook_id, id, message_id, type, datagrid_id, revision, attempt,
      at, duration_ms, status, error, request, response)
    SELECT w.id, a.*
    FROM (SELECT id FROM webhooks WHERE id = $1 FOR KEY SHARE) w, unnest($2::uuid[], $3::text[],
      $4::text[], $5::uuid[], $6::bigint[], $7::int[], $8::timestamptz[], $9::int[], $10::int[],
      $11::text[], $12::text[], $13::text[]) AS a`;

const LOG: Statement = { name: 'webhook-attempt-log', text: INSERT };

/** Inserts attempts, and updates what the webhook knows of its last deliveries. */
const RECORD: Statement = {
  name: 'webhook-attempt-record',
  text: `
    WITH failed AS (
      UPDATE webhooks SET consecutive_failures = consecutive_failures + 1, last_error_at = now(),
        last_error = $14
      WHERE id = $1 AND $14::text IS NOT NULL
    ), succeeded AS (
      UPDATE webhooks SET consecutive_failures = 0, last_success_at = now()
      WHERE id = $1 AND $14::text IS NULL AND (consecutive_failures > 0 OR last_success_at IS NULL
        OR last_success_at < now() - interval '${String(HEALTH_PRECISION_SECONDS)} seconds')
    )${INSERT}`,
};

const LIST: Statement = {
  name: 'webhook-attempt-list',
  text: `
    SELECT t.total, a.id, a.message_id AS "messageId", a.type, a.datagrid_id AS "datagridId",
      a.revision, a.attempt, a.at, a.duration_ms AS "durationMs", a.status, a.error, a.request,
      a.response
    FROM (SELECT count(*) AS total FROM webhook_attempts WHERE webhook_id = $1) t
    LEFT JOIN LATERAL (
      SELECT * FROM webhook_attempts WHERE webhook_id = $1 ORDER BY id DESC OFFSET $2 LIMIT $3
    ) a ON true
    ORDER BY a.id DESC`,
};

type Listed = { readonly total: number } & (Attempt | { readonly id: null });

/** The log of attempts to deliver. */
@Injectable()
export class AttemptRepository {
  constructor(private readonly database: Database) {}

  /**
   * Records attempts of deliveries, and whether the last one succeeded.
   * @param failure Reason of the failure of the last attempt; `null` if it succeeded.
   */
  async record(
    webhookId: string,
    attempts: readonly Attempt[],
    failure: string | null,
  ): Promise<void> {
    await this.database.run(RECORD, [...valuesOf(webhookId, attempts), failure]);
  }

  /** Records the attempt of a test event. The health of the webhook stays as it is. */
  async log(webhookId: string, attempt: Attempt): Promise<void> {
    await this.database.run(LOG, valuesOf(webhookId, [attempt]));
  }

  /** Returns one page of attempts, newest first, and the total. */
  async list(webhookId: string, { page, limit }: PageRequest): Promise<[Attempt[], number]> {
    const rows = await this.database.run<Listed>(LIST, [webhookId, (page - 1) * limit, limit]);
    return [rows.filter((row) => row.id !== null), rows[0]?.total ?? 0];
  }
}

/** Returns the parameters $1 to $13. */
function valuesOf(webhookId: string, attempts: readonly Attempt[]): unknown[] {
  return [
    webhookId,
    attempts.map(({ id }) => id),
    attempts.map(({ messageId }) => messageId),
    attempts.map(({ type }) => type),
    attempts.map(({ datagridId }) => datagridId),
    attempts.map(({ revision }) => revision),
    attempts.map(({ attempt }) => attempt),
    attempts.map(({ at }) => at),
    attempts.map(({ durationMs }) => durationMs),
    attempts.map(({ status }) => status),
    attempts.map(({ error }) => error),
    attempts.map(({ request }) => request),
    attempts.map(({ response }) => response),
  ];
}
