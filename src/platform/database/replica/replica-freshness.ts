const ASK_EVERY_MS = 200;
/** Positions that the replica has not come to yet: of the last minutes. */
const MAX_AWAITED = 1_000;

/** Where one server is in the log that all of a cluster share. */
export interface LogPosition {
  /** Of the cluster. */
  readonly system: string;
  /** In bytes since its beginning, as digits; null where the server has none to give. */
  readonly position: string | null;
}

interface Awaited {
  readonly atMs: number;
  readonly position: bigint;
}

/**
 * Knows how old what a replica gives is at most. It asks the primary where its log is, then the
 * replica how far it has come: once that is there, it has all that was committed before the
 * primary was asked. No clock but this process's own is looked at, so that none has to be right,
 * and a primary that has nothing to do makes nothing look old.
 */
export class ReplicaFreshness {
  private awaited: Awaited[] = [];
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private knownAsOfMs = -Infinity;

  constructor(
    private readonly askPrimary: () => Promise<LogPosition | undefined>,
    private readonly askReplica: () => Promise<LogPosition | undefined>,
  ) {}

  /**
   * All that was committed before is there, on `performance`'s clock. Without limit in the past
   * where nothing is known.
   */
  get asOfMs(): number {
    return this.knownAsOfMs;
  }

  /** The same as an age. */
  get ageMs(): number {
    return performance.now() - this.knownAsOfMs;
  }

  start(): void {
    this.timer = setTimeout(() => void this.ask(), 0).unref();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** Until it is asked again: it has failed. */
  forget(): void {
    this.knownAsOfMs = -Infinity;
  }

  /** One at a time: where no answer comes, nothing more is asked, and what is known gets old. */
  async ask(): Promise<void> {
    try {
      await this.compare();
    } catch {
      this.forget();
    }
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.ask(), ASK_EVERY_MS).unref();
  }

  private async compare(): Promise<void> {
    const atMs = performance.now();
    const primary = await this.askPrimary();
    if (primary?.position == null) return;
    // The oldest are kept: of a replica that is far behind they are what it comes to first.
    if (this.awaited.length < MAX_AWAITED) {
      this.awaited.push({ atMs, position: BigInt(primary.position) });
    }
    const replica = await this.askReplica();
    if (replica?.position == null || replica.system !== primary.system) {
      this.forget();
      return;
    }
    const reached = BigInt(replica.position);
    const next = this.awaited.findIndex(({ position }) => position > reached);
    const passed = this.awaited.splice(0, next < 0 ? this.awaited.length : next);
    this.knownAsOfMs = passed.at(-1)?.atMs ?? this.knownAsOfMs;
  }
}
