import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';
import type { RequestBatch } from './request-buffer';

/**
 * A statement that is repeated, because its outcome was unknown, adds no request twice. Gaps are ordered
 * by key, so that concurrent processes wait for each other and cannot deadlock.
 */
const ADD: Statement = {
  name: 'key-request-add',
  text: `
    WITH added AS (
      INSERT INTO api_key_requests (account_id, id, at, user_id, key_id, method, route, status,
        duration_ms, request_id, error_code, aborted)
      SELECT r.account_id, r.id, to_timestamp(r.at / 1000), r.user_id, r.key_id, r.method, r.route,
        r.status, r.duration_ms, r.request_id, r.error_code, r.aborted
      FROM unnest($1::uuid[], $2::uuid[], $3::float8[], $4::uuid[], $5::uuid[], $6::text[],
        $7::text[], $8::smallint[], $9::real[], $10::text[], $11::text[], $12::boolean[])
        AS r(account_id, id, at, user_id, key_id, method, route, status, duration_ms, request_id,
          error_code, aborted)
      ON CONFLICT (account_id, id) DO NOTHING
    )
    INSERT INTO api_key_request_gaps (account_id, key_id, hour, user_id, left_out)
    SELECT g.account_id, g.key_id, date_trunc('hour', to_timestamp(g.since / 1000)), g.user_id,
      g.left_out
    FROM unnest($13::uuid[], $14::uuid[], $15::float8[], $16::uuid[], $17::bigint[])
      AS g(account_id, key_id, since, user_id, left_out)
    ORDER BY g.account_id, g.key_id
    ON CONFLICT (account_id, key_id, hour) DO UPDATE
    SET left_out = api_key_request_gaps.left_out + excluded.left_out`,
};

const LIST: Statement = {
  name: 'key-request-list',
  text: `
    SELECT r.id, r.at, r.user_id AS "userId", u.email, r.key_id AS "keyId", k.name AS "keyName",
      CASE WHEN k.audience IS NULL THEN k.last_four END AS "keyLastFour",
      k.audience IS NOT NULL AS "isApplication", r.method, r.route, r.status, r.duration_ms AS "durationMs",
      r.request_id AS "requestId", r.error_code AS "errorCode", r.aborted
    FROM api_key_requests r
    LEFT JOIN users u ON u.id = r.user_id
    LEFT JOIN api_keys k ON k.id = r.key_id
    WHERE r.account_id = $1 AND r.id < coalesce($2, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
      AND r.at > now() - make_interval(days => $3)
      AND ($4::uuid IS NULL OR r.user_id = $4) AND ($5::uuid IS NULL OR r.key_id = $5)
      AND ($6::text IS NULL OR r.method = $6)
      AND ($7::int IS NULL OR r.status BETWEEN $7 * 100 AND $7 * 100 + 99)
    ORDER BY r.id DESC LIMIT $8`,
};

const COUNT_LEFT_OUT: Statement = {
  name: 'key-request-count-left-out',
  text: `
    SELECT coalesce(sum(g.left_out), 0)::float8 AS requests, max(g.hour) AS "lastHour"
    FROM api_key_request_gaps g
    WHERE g.account_id = $1 AND g.hour > now() - make_interval(days => $2)
      AND ($3::uuid IS NULL OR g.user_id = $3) AND ($4::uuid IS NULL OR g.key_id = $4)`,
};

/**
 * Steps from one account to the next by the primary key. Only accounts in `$2` can have more than `$3`
 * requests: this process has added some.
 */
const LIST_EXPIRED: Statement = {
  name: 'key-request-list-expired',
  text: `
    WITH RECURSIVE accounts(id) AS (
      (SELECT account_id FROM api_key_requests ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT (
        SELECT r.account_id FROM api_key_requests r
        WHERE r.account_id > a.id ORDER BY r.account_id LIMIT 1
      ) FROM accounts a WHERE a.id IS NOT NULL
    )
    SELECT a.id FROM accounts a
    WHERE (
      SELECT r.at FROM api_key_requests r WHERE r.account_id = a.id ORDER BY r.id LIMIT 1
    ) <= now() - make_interval(days => $1) OR a.id = ANY($2::uuid[]) AND EXISTS (
      SELECT FROM api_key_requests r WHERE r.account_id = a.id OFFSET $3
    )
    UNION
    SELECT g.account_id FROM api_key_request_gaps g
    WHERE g.hour <= now() - make_interval(days => $1)`,
};

/** Deletes those of the oldest `$3` requests that have expired, or that follow the newest `$4`. */
const TRIM: Statement = {
  name: 'key-request-trim',
  text: `
    WITH oldest AS (
      SELECT r.id, r.at FROM api_key_requests r WHERE r.account_id = $1 ORDER BY r.id LIMIT $3
    ), surplus AS (
      SELECT r.id FROM api_key_requests r
      WHERE r.account_id = $1 ORDER BY r.id DESC OFFSET $4 LIMIT 1
    ), gaps AS (
      DELETE FROM api_key_request_gaps g
      WHERE g.account_id = $1 AND g.hour <= now() - make_interval(days => $2)
    ), deleted AS (
      DELETE FROM api_key_requests r USING oldest o
      WHERE r.account_id = $1 AND r.id = o.id AND (
        o.at <= now() - make_interval(days => $2) OR o.id <= (SELECT s.id FROM surplus s)
      )
      RETURNING 1
    )
    SELECT count(*)::int AS count FROM deleted`,
};

/** A request with the current name of its key and email address of its user. */
export interface KeyRequestRecord {
  readonly id: string;
  readonly at: Date;
  readonly userId: string;
  readonly email: string | null;
  readonly keyId: string;
  /** `null` if the key has been deleted. */
  readonly keyName: string | null;
  readonly keyLastFour: string | null;
  /** Whether the key is the token of an application that the user has authorized. */
  readonly isApplication: boolean;
  readonly method: string;
  readonly route: string | null;
  readonly status: number | null;
  readonly durationMs: number;
  readonly requestId: string;
  readonly errorCode: string | null;
  readonly aborted: boolean;
}

/** Number of requests that are not in the log. */
export interface LeftOut {
  readonly requests: number;
  /** Start of the last hour in which requests were left out; `null` if none were. */
  readonly lastHour: Date | null;
}

/** Filters of a list. */
export interface KeyRequestFilter {
  /** Owner of the keys; `null` for all users of the account. */
  readonly userId: string | null;
  readonly keyId: string | null;
  readonly method: string | null;
  /** First digit of the status. */
  readonly statusClass: number | null;
}

/** Limits of the log of an account. */
export interface KeyRequestRetention {
  readonly days: number;
  readonly maxRequests: number;
}

/** Every statement names the account, except that of `listExpired`. */
@Injectable()
export class KeyRequestRepository {
  constructor(private readonly database: Database) {}

  async add({ requests, gaps }: RequestBatch): Promise<void> {
    await this.database.run(ADD, [
      requests.map(({ caller }) => caller.accountId),
      requests.map(({ id }) => id),
      requests.map(({ atMs }) => atMs),
      requests.map(({ caller }) => caller.userId),
      requests.map(({ caller }) => caller.keyId),
      requests.map(({ method }) => method),
      requests.map(({ route }) => route),
      requests.map(({ status }) => status),
      requests.map(({ durationMs }) => durationMs),
      requests.map(({ requestId }) => requestId),
      requests.map(({ errorCode }) => errorCode),
      requests.map(({ aborted }) => aborted),
      gaps.map(({ caller }) => caller.accountId),
      gaps.map(({ caller }) => caller.keyId),
      gaps.map(({ sinceMs }) => sinceMs),
      gaps.map(({ caller }) => caller.userId),
      gaps.map(({ leftOut }) => leftOut),
    ]);
  }

  /**
   * Lists an account's requests of the last `days`, newest first. Starts after the request `beforeId`,
   * if given.
   */
  async list(
    accountId: string,
    { userId, keyId, method, statusClass }: KeyRequestFilter,
    { beforeId, days, limit }: { beforeId: string | null; days: number; limit: number },
  ): Promise<KeyRequestRecord[]> {
    const values = [accountId, beforeId, days, userId, keyId, method, statusClass, limit];
    return this.database.run<KeyRequestRecord>(LIST, values);
  }

  /** Returns the number of requests of the last `days` that are not in the log. */
  async countLeftOut(
    accountId: string,
    { userId, keyId }: Pick<KeyRequestFilter, 'userId' | 'keyId'>,
    days: number,
  ): Promise<LeftOut> {
    const values = [accountId, days, userId, keyId];
    const [counted] = await this.database.run<LeftOut>(COUNT_LEFT_OUT, values);
    return counted ?? { requests: 0, lastHour: null };
  }

  /**
   * Lists accounts with expired requests, and those of `written` that have too many.
   * @param written Accounts to which this process has added requests.
   */
  async listExpired(
    { days, maxRequests }: KeyRequestRetention,
    written: readonly string[],
  ): Promise<string[]> {
    const values = [days, written, maxRequests];
    const found = await this.database.run<{ id: string }>(LIST_EXPIRED, values);
    return found.map(({ id }) => id);
  }

  /**
   * Deletes expired gaps, and requests that have expired or are too many.
   * @param maxDeleted Number of requests to look at.
   * @returns the number of deleted requests.
   */
  async trim(
    accountId: string,
    { days, maxRequests }: KeyRequestRetention,
    maxDeleted: number,
  ): Promise<number> {
    const values = [accountId, days, maxDeleted, maxRequests];
    const [deleted] = await this.database.run<{ count: number }>(TRIM, values);
    return deleted?.count ?? 0;
  }
}
