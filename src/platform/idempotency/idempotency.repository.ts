import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import type { Statement } from '../database/statement';
import type { Claim } from './claim';
import type { StoredResponse } from './stored-response';

/** How long an answer is kept. */
const KEPT_FOR = `interval '24 hours'`;
const STEP_KEYS = 1_000;

/** Never waits: who comes second is told so. Ends with the transaction, also a broken one. */
const LOCK: Statement = {
  name: 'idempotency-lock',
  text: 'SELECT pg_try_advisory_xact_lock(hashtextextended($1::text, 0)) AS "isLocked"',
};

/** What is kept in an hour is counted until all of it is too old. */
const COUNTED_FOR = `interval '25 hours'`;

/** One row in any case: what is kept for the account, and for the key where there is something. */
const FIND: Statement = {
  name: 'idempotency-find',
  text: `
    SELECT k.request_hash AS "requestHash", k.status, k.headers, k.body, u.bytes,
      coalesce(ceil(extract(epoch FROM u.first_hour + ${COUNTED_FOR} - now())), 0)::int
        AS "freeInSeconds"
    FROM (
      SELECT coalesce(sum(bytes), 0)::bigint AS bytes, min(hour) AS first_hour
      FROM idempotency_usage WHERE account_id = $1 AND hour > now() - ${COUNTED_FOR}
    ) u
    LEFT JOIN idempotency_keys k ON k.account_id = $1 AND k.user_id = $2 AND k.key = $3
      AND k.created_at > now() - ${KEPT_FOR}`,
};

/** Some counters for an account and hour, so that its writes do not wait for one another. */
const SLOTS = 16;
/** What a key takes beside its response: its row, and its entries in two indexes. */
const BYTES_PER_KEY = 1_024;

const CLEAR_USAGE: Statement = {
  name: 'idempotency-clear-usage',
  text: `DELETE FROM idempotency_usage WHERE hour <= now() - ${COUNTED_FOR}`,
};

/** What is there already is too old, or it would have been found. */
const KEEP: Statement = {
  name: 'idempotency-keep',
  text: `
    WITH counted AS (
      INSERT INTO idempotency_usage (account_id, hour, slot, bytes)
      VALUES ($1, date_trunc('hour', now(), 'UTC'), $8, $9)
      ON CONFLICT (account_id, hour, slot)
      DO UPDATE SET bytes = idempotency_usage.bytes + excluded.bytes
    )
    INSERT INTO idempotency_keys (account_id, user_id, key, request_hash, status, headers, body)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (account_id, user_id, key) DO UPDATE
    SET request_hash = excluded.request_hash, status = excluded.status,
      headers = excluded.headers, body = excluded.body, created_at = excluded.created_at`,
};

const CLEAR: Statement = {
  name: 'idempotency-clear',
  text: `
    WITH old AS (
      SELECT account_id, user_id, key FROM idempotency_keys
      WHERE created_at <= now() - ${KEPT_FOR}
      ORDER BY created_at LIMIT ${String(STEP_KEYS)} FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM idempotency_keys k USING old
      WHERE k.account_id = old.account_id AND k.user_id = old.user_id AND k.key = old.key
      RETURNING 1
    )
    SELECT count(*) AS count FROM gone`,
};

export interface KeptUsage {
  readonly bytes: number;
  /** When the oldest of it is no longer counted. */
  readonly freeInSeconds: number;
}

export interface KeptKey extends StoredResponse {
  readonly requestHash: Buffer;
}

export interface FoundKey {
  readonly kept: KeptKey | null;
  /** Of the account. */
  readonly usage: KeptUsage;
}

/** All but `clear` is for use inside the transaction of the change. */
@Injectable()
export class IdempotencyRepository {
  constructor(private readonly database: Database) {}

  /** Takes the key until the end of the transaction. @returns whether nobody else had it. */
  async lock({ accountId, userId, key }: Claim): Promise<boolean> {
    const values = [`${accountId} ${userId} ${key}`];
    const [locked] = await this.database.run<{ isLocked: boolean }>(LOCK, values);
    return locked?.isLocked ?? false;
  }

  /** A statement apart from `lock`: it must see what was committed before the lock was had. */
  async find({ accountId, userId, key }: Claim): Promise<FoundKey> {
    type Record = KeptUsage & (KeptKey | { readonly status: null });
    const [found] = await this.database.run<Record>(FIND, [accountId, userId, key]);
    if (!found) throw new Error('There is always one row.');
    const { bytes, freeInSeconds } = found;
    return { kept: found.status === null ? null : found, usage: { bytes, freeInSeconds } };
  }

  async keep(
    { accountId, userId, key, requestHash }: Claim,
    answer: StoredResponse,
  ): Promise<void> {
    const { status, headers, body } = answer;
    const slot = Math.floor(Math.random() * SLOTS);
    const bytes = BYTES_PER_KEY + (body === null ? 0 : Buffer.byteLength(body));
    const kept = [accountId, userId, key, requestHash, status, headers, body, slot, bytes];
    await this.database.run(KEEP, kept);
  }

  /** Forgets some of the keys that are too old. @returns whether there may be more. */
  async clear(): Promise<boolean> {
    await this.database.run(CLEAR_USAGE);
    const [cleared] = await this.database.run<{ count: number }>(CLEAR);
    return cleared?.count === STEP_KEYS;
  }
}
