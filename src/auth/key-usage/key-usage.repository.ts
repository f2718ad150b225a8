import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/statement';
import type { DayCount } from './usage-count';

/** Ordered by key, so that concurrent processes wait for each other and cannot deadlock. */
const ADD: Statement = {
  name: 'key-usage-add',
  text: `
    INSERT INTO api_key_usage (key_id, day, calls, refusals)
    SELECT * FROM unnest($1::uuid[], $2::date[], $3::bigint[], $4::bigint[])
      AS u(key_id, day, calls, refusals)
    ORDER BY key_id, day
    ON CONFLICT (key_id, day) DO UPDATE
    SET calls = api_key_usage.calls + excluded.calls,
      refusals = api_key_usage.refusals + excluded.refusals`,
};

const LIST: Statement = {
  name: 'key-usage-list',
  text: `
    SELECT d.day::date::text AS day, coalesce(u.calls, 0) AS calls,
      coalesce(u.refusals, 0) AS refusals
    FROM generate_series(
      (now() AT TIME ZONE 'UTC')::date - ($2::int - 1), (now() AT TIME ZONE 'UTC')::date, '1 day'
    ) AS d(day)
    LEFT JOIN api_key_usage u ON u.key_id = $1 AND u.day = d.day::date
    ORDER BY d.day`,
};

const CLEAR: Statement = {
  name: 'key-usage-clear',
  text: `DELETE FROM api_key_usage WHERE day <= (now() AT TIME ZONE 'UTC')::date - $1::int`,
};

const DELETE: Statement = {
  name: 'key-usage-delete',
  text: 'DELETE FROM api_key_usage WHERE key_id = ANY($1::uuid[])',
};

export type UsageDay = Omit<DayCount, 'keyId'>;

@Injectable()
export class KeyUsageRepository {
  constructor(private readonly database: Database) {}

  /** Adds to the stored counts. */
  async add(counts: readonly DayCount[]): Promise<void> {
    await this.database.run(ADD, [
      counts.map(({ keyId }) => keyId),
      counts.map(({ day }) => day),
      counts.map(({ calls }) => calls),
      counts.map(({ refusals }) => refusals),
    ]);
  }

  /**
   * Returns the last `days` days including today, oldest first. Days without a call are included.
   */
  async list(keyId: string, days: number): Promise<UsageDay[]> {
    return this.database.run<UsageDay>(LIST, [keyId, days]);
  }

  async delete(keyIds: readonly string[]): Promise<void> {
    await this.database.run(DELETE, [keyIds]);
  }

  /** Deletes usage that is `days` days old or older. */
  async clear(days: number): Promise<void> {
    await this.database.run(CLEAR, [days]);
  }
}
