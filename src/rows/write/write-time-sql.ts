/**
 * Sets the earliest time of later writes, as part of an UPDATE of `datagrid_counters`. The
 * statement may have started before it got the lock. Uses a stable function, because Citus accepts
 * no volatile function here.
 */
export const RAISE_WRITE_TIME = `
  last_written_at = greatest(last_written_at, statement_timestamp())`;

/**
 * The time of a write, for a SELECT from a common table expression that has taken the lock and
 * returns `last_written_at`. The clock is read under the lock. No write has an earlier time than a
 * previous write, even if the clock is set back or another server takes over.
 */
export const WRITE_TIME = 'greatest(last_written_at, clock_timestamp())::timestamptz(3)';
