import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../common/time/day';
import { Database } from '../../platform/database/database';
import type { Statement } from '../../platform/database/text-query';

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
    SELECT d.day::date::text AS day, coalesce(u.calls, 0) AS requests,
      coalesce(u.refusals, 0) AS rejections
    FROM generate_series(
      (now() AT TIME ZONE 'UTC')::date - ($2::int - 1), (now() AT TIME ZONE 'UTC')::date, '1 day'
    ) AS d(day)
    LEFT JOIN api_key_usage u ON u.key_id = $1 AND u.day = d.day::date
    ORDER BY d.day`,
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
      counts.map(({ requests }) => requests),
      counts.map(({ rejections }) => rejections),
    ]);
  }

  /**
   * Returns the last `days` days including today, oldest first. Days without requests are included.
   */
  async list(keyId: string, days: number): Promise<UsageDay[]> {
    return this.database.run<UsageDay>(LIST, [keyId, days]);
  }

  async delete(keyIds: readonly string[]): Promise<void> {
    await this.database.run(DELETE, [keyIds]);
  }
}

/** Returns the day in UTC, such as `2026-11-21`. */
function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Number of requests with one key on one day. */
interface DayCount {
  readonly keyId: string;
  /** Day in UTC, such as `2026-11-21`. */
  readonly day: string;
  readonly requests: number;
  /** Requests with a response status from 400 to 499. */
  readonly rejections: number;
}

interface Count {
  requests: number;
  rejections: number;
}

/** Counts by key. */
type Counts = Map<string, Count>;

/** Adds up requests by key and day until they are written. */
export class UsageCount {
  private dayNumber = -1;
  private counts: Counts = new Map();
  private readonly days = new Map<string, Counts>();

  /** @param status Response status. A status from 400 to 499 counts as rejected. */
  add(keyId: string, status: number, nowMs = Date.now()): void {
    const dayNumber = Math.floor(nowMs / DAY_MS);
    if (dayNumber !== this.dayNumber) this.beginDay(dayNumber);
    let count = this.counts.get(keyId);
    if (!count) this.counts.set(keyId, (count = { requests: 0, rejections: 0 }));
    count.requests += 1;
    if (status >= 400 && status < 500) count.rejections += 1;
  }

  /** Returns and clears the counts since the last call. */
  take(): DayCount[] {
    const taken = [...this.days].flatMap(([day, counts]) =>
      [...counts].map(([keyId, count]) => ({ keyId, day, ...count })),
    );
    this.days.clear();
    this.dayNumber = -1;
    return taken;
  }

  /** Adds counts back that could not be written. */
  giveBack(taken: readonly DayCount[]): void {
    for (const { keyId, day, requests, rejections } of taken) {
      const counts = this.countsOf(day);
      const count = counts.get(keyId) ?? { requests: 0, rejections: 0 };
      counts.set(keyId, {
        requests: count.requests + requests,
        rejections: count.rejections + rejections,
      });
    }
  }

  private beginDay(dayNumber: number): void {
    this.counts = this.countsOf(dayOf(dayNumber * DAY_MS));
    this.dayNumber = dayNumber;
  }

  private countsOf(day: string): Counts {
    const counts = this.days.get(day) ?? new Map<string, Count>();
    this.days.set(day, counts);
    return counts;
  }
}
