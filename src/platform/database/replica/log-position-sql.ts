import type { Statement } from '../statement';

/**
 * Log position of the primary that covers every visible commit: the flush position, or the insert
 * position if `synchronous_commit` is off, because commits are then visible before they are
 * flushed.
 */
export const PRIMARY_POSITION: Statement = {
  name: 'primary-position',
  text: `
    SELECT system_identifier::text AS system, (CASE current_setting('synchronous_commit')
      WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END
      - '0/0'::pg_lsn)::text AS position
    FROM pg_control_system()`,
};

/** Replay position of the replica, or `null` if the server has been promoted to a primary. */
export const REPLICA_POSITION: Statement = {
  name: 'replica-position',
  text: `
    SELECT system_identifier::text AS system, CASE WHEN pg_is_in_recovery()
      THEN (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)::text END AS position
    FROM pg_control_system()`,
};
