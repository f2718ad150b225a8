import { setTimeout as delay } from 'node:timers/promises';
import { giveUpShare, type Share } from './share';

const SHORTEST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 5_000;
/** After this uptime, a lost server no longer counts as one that crashes repeatedly. */
const STEADY_AFTER_MS = 60_000;

/** Functions with which a membership joins its server and reports events. */
export interface MembershipContext {
  readonly clusterDir: string;
  readonly join: (signal: AbortSignal) => Promise<Share>;
  readonly log: (message: string) => void;
}

/**
 * Keeps a share in the server until it is released. Takes a new share when the current one is lost.
 */
export class Membership {
  private readonly releasing = new AbortController();
  private share: Share | null = null;
  private rejoining: Promise<void> = Promise.resolve();
  private released: Promise<void> | null = null;
  private waitMs = SHORTEST_WAIT_MS;
  private currentUrl = '';

  constructor(
    private readonly context: MembershipContext,
    share: Share,
  ) {
    this.hold(share);
  }

  /** Connection URL of the server, over its Unix socket. */
  get url(): string {
    return this.currentUrl;
  }

  /**
   * Releases the share. The last process to do so stops the server. All calls return the same
   * promise.
   */
  release(): Promise<void> {
    this.released ??= this.leave();
    return this.released;
  }

  private async leave(): Promise<void> {
    this.releasing.abort();
    await this.rejoining;
    if (this.share === null) return;
    const outcome = await giveUpShare(this.context.clusterDir, this.share);
    this.context.log(outcome === 'stopped' ? 'PostgreSQL has stopped' : 'Left PostgreSQL running');
  }

  private hold(share: Share): void {
    const { socketDir, port } = share.server;
    const since = Date.now();
    this.share = share;
    this.currentUrl = `postgres://app@/postgres?host=${encodeURIComponent(socketDir)}&port=${port}`;
    void share.ended.then(() => {
      if (this.releasing.signal.aborted) return;
      this.share = null;
      if (Date.now() - since > STEADY_AFTER_MS) this.waitMs = SHORTEST_WAIT_MS;
      this.rejoining = this.rejoin();
    });
  }

  private async rejoin(): Promise<void> {
    const { join, log } = this.context;
    const { signal } = this.releasing;
    log('Lost the connection to PostgreSQL; joining it again');
    while (!(await this.pause())) {
      try {
        this.hold(await join(signal));
        log('Joined PostgreSQL again');
        return;
      } catch (error) {
        log(`Could not join PostgreSQL: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  /**
   * Waits, longer each time.
   * @returns `true` if `release` has ended the wait early.
   */
  private async pause(): Promise<boolean> {
    const { signal } = this.releasing;
    await delay(this.waitMs, undefined, { signal }).catch(() => undefined);
    this.waitMs = Math.min(this.waitMs * 2, LONGEST_WAIT_MS);
    return signal.aborted;
  }
}
