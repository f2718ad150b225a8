import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import type { Statement } from '../database/text-query';
import type { Claim, StoredResponse } from './claim';

/** Retention of stored responses. */
export const KEY_RETENTION = `interval '24 hours'`;

/** Tries to lock a key without waiting. The lock ends with the transaction, even if that fails. */
const LOCK: Statement = {
  name: 'idempotency-lock',
  text: 'SELECT pg_try_advisory_xact_lock(hashtextextended($1::text, 0)) AS "isLocked"',
};

/** Retention of usage: the bytes of an hour count until all its responses have expired. */
export const USAGE_RETENTION = `interval '25 hours'`;

/** Always returns one row: the account's usage and, if the key has one, its stored response. */
const FIND: Statement = {
  name: 'idempotency-find',
  text: `
    SELECT k.request_hash AS "requestHash", k.status, k.headers, k.body, u.bytes,
      coalesce(ceil(extract(epoch FROM u.first_hour + ${USAGE_RETENTION} - now())), 0)::int
        AS "freeInSeconds"
    FROM (
      SELECT coalesce(sum(bytes), 0)::bigint AS bytes, min(hour) AS first_hour
      FROM idempotency_usage WHERE account_id = $1 AND hour > now() - ${USAGE_RETENTION}
    ) u
    LEFT JOIN idempotency_keys k ON k.account_id = $1 AND k.user_id = $2 AND k.key = $3
      AND k.created_at > now() - ${KEY_RETENTION}`,
};

/**
 * Counters per account and hour. With several, writes of an account seldom wait for one another.
 */
const SLOTS = 16;
/** Bytes of a key in addition to its response: its row, and its entries in two indexes. */
const BYTES_PER_KEY = 1_024;

/** An existing row is replaced: it has expired, otherwise `FIND` would have returned it. */
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

export interface StoredUsage {
  readonly bytes: number;
  /** Seconds until the oldest bytes no longer count. */
  readonly freeInSeconds: number;
}

export interface StoredKey extends StoredResponse {
  readonly requestHash: Buffer;
}

export interface FoundKey {
  readonly kept: StoredKey | null;
  /** Usage of the account. */
  readonly usage: StoredUsage;
}

/**
 * Stored responses of idempotency keys. All methods run in the transaction of the change.
 */
@Injectable()
export class IdempotencyRepository {
  constructor(private readonly database: Database) {}

  /**
   * Locks the key until the end of the transaction.
   * @returns whether the key was free.
   */
  async lock({ accountId, userId, key }: Claim): Promise<boolean> {
    const values = [`${accountId} ${userId} ${key}`];
    const [locked] = await this.database.run<{ isLocked: boolean }>(LOCK, values);
    return locked?.isLocked ?? false;
  }

  /**
   * Finds the stored response of a key. Runs as a separate statement after `lock`, so that it sees
   * rows committed before the lock was taken.
   */
  async find({ accountId, userId, key }: Claim): Promise<FoundKey> {
    type Record = StoredUsage & (StoredKey | { readonly status: null });
    const [found] = await this.database.run<Record>(FIND, [accountId, userId, key]);
    if (!found) throw new Error('There is always one row.');
    const { bytes, freeInSeconds } = found;
    return { kept: found.status === null ? null : found, usage: { bytes, freeInSeconds } };
  }

  async keep(
    { accountId, userId, key, requestHash }: Claim,
    response: StoredResponse,
  ): Promise<void> {
    const { status, headers, body } = response;
    const slot = Math.floor(Math.random() * SLOTS);
    const bytes = BYTES_PER_KEY + (body === null ? 0 : Buffer.byteLength(body));
    const kept = [accountId, userId, key, requestHash, status, headers, body, slot, bytes];
    await this.database.run(KEEP, kept);
  }
}
