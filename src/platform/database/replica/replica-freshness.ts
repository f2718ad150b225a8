import type { Statement } from '../text-query';

const POLL_INTERVAL_MS = 200;
/** Maximum number of positions that the replica has not reached yet: those of the last minutes. */
const MAX_AWAITED = 1_000;

/** Position of one server in the write-ahead log of its cluster. */
export interface LogPosition {
  /** System identifier of the cluster. */
  readonly system: string;
  /** Bytes since the start of the log, as decimal digits; `null` if the server reports none. */
  readonly position: string | null;
}

interface PendingPosition {
  readonly atMs: number;
  readonly position: bigint;
}

/**
 * Tracks the maximum age of a replica's data. It reads the primary's log position, then the
 * replica's replay position. When the replica has reached the primary's position, it has everything
 * that was committed before the primary was queried. Only this process's own clock is used, so
 * clocks need not be synchronized, and an idle primary does not make the replica look stale.
 */
export class ReplicaFreshness {
  private awaited: PendingPosition[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private knownAsOfMs = -Infinity;

  constructor(
    private readonly readPrimaryPosition: () => Promise<LogPosition | undefined>,
    private readonly readReplicaPosition: () => Promise<LogPosition | undefined>,
  ) {}

  /**
   * Everything committed before this time, in milliseconds of `performance.now`, is on the replica.
   * `-Infinity` if the age is unknown.
   */
  get asOfMs(): number {
    return this.knownAsOfMs;
  }

  /** Maximum age of the replica's data in milliseconds. `Infinity` if it is unknown. */
  get ageMs(): number {
    return performance.now() - this.knownAsOfMs;
  }

  start(): void {
    this.timer = setTimeout(() => void this.poll(), 0).unref();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** Marks the age as unknown until the next comparison, because the replica has failed. */
  resetAge(): void {
    this.knownAsOfMs = -Infinity;
  }

  /**
   * Compares the positions once, then schedules the next comparison. Only one runs at a time: if a
   * server does not respond, no further queries are sent, and the known age increases.
   */
  async poll(): Promise<void> {
    try {
      await this.compare();
    } catch {
      this.resetAge();
    }
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.poll(), POLL_INTERVAL_MS).unref();
  }

  private async compare(): Promise<void> {
    const atMs = performance.now();
    const primary = await this.readPrimaryPosition();
    if (primary?.position == null) return;
    // If the list is full, the oldest positions are kept: a replica that is far behind reaches them
    // first.
    if (this.awaited.length < MAX_AWAITED) {
      this.awaited.push({ atMs, position: BigInt(primary.position) });
    }
    const replica = await this.readReplicaPosition();
    if (replica?.position == null || replica.system !== primary.system) {
      this.resetAge();
      return;
    }
    const reached = BigInt(replica.position);
    const next = this.awaited.findIndex(({ position }) => position > reached);
    const passed = this.awaited.splice(0, next < 0 ? this.awaited.length : next);
    this.knownAsOfMs = passed.at(-1)?.atMs ?? this.knownAsOfMs;
  }
}

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
