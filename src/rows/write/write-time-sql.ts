/**
 * Sets the earliest time of later writes, as part of an UPDATE of `datagrid_counters`. The statement
 * may have started before it got the lock. Stable, since Citus takes no volatile function here.
 */
export const RAISE_WRITE_TIME = `
  last_written_at = greatest(last_written_at, statement_timestamp())`;

/**
 * The time of a write, in a SELECT from a common table expression that has taken the lock and gives
 * `last_written_at`. It is read under the lock, and no write is dated before an earlier one, also
 * where the clock is set back or another server takes over.
 */
export const WRITE_TIME = 'greatest(last_written_at, clock_timestamp())::timestamptz(3)';
