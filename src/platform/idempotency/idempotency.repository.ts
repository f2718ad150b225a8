import { Injectable } from '@nestjs/common';
import { Database } from '../database/database';
import type { Statement } from '../database/statement';
import type { Claim } from './claim';
import type { KeptAnswer } from './kept-answer';

/** How long an answer is kept. */
const KEPT_FOR = `interval '24 hours'`;
const STEP_KEYS = 1_000;

/** Never waits: who comes second is told so. Ends with the transaction, also a broken one. */
const LOCK: Statement = {
  name: 'idempotency-lock',
  text: 'SELECT pg_try_advisory_xact_lock(hashtextextended($1::text, 0)) AS "isLocked"',
};

const FIND: Statement = {
  name: 'idempotency-find',
  text: `
    SELECT request_hash AS "requestHash", status, headers, body FROM idempotency_keys
    WHERE account_id = $1 AND user_id = $2 AND key = $3 AND created_at > now() - ${KEPT_FOR}`,
};

/** What is there already is too old, or it would have been found. */
const KEEP: Statement = {
  name: 'idempotency-keep',
  text: `
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

export interface KeptKey extends KeptAnswer {
  readonly requestHash: Buffer;
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
  async find({ accountId, userId, key }: Claim): Promise<KeptKey | null> {
    const [found] = await this.database.run<KeptKey>(FIND, [accountId, userId, key]);
    return found ?? null;
  }

  async keep({ accountId, userId, key, requestHash }: Claim, answer: KeptAnswer): Promise<void> {
    const { status, headers, body } = answer;
    await this.database.run(KEEP, [accountId, userId, key, requestHash, status, headers, body]);
  }

  /** Forgets some of the keys that are too old. @returns whether there may be more. */
  async clear(): Promise<boolean> {
    const [cleared] = await this.database.run<{ count: number }>(CLEAR);
    return cleared?.count === STEP_KEYS;
  }
}
