import { respondsOnNewConnection, findBusyBackends } from './backend-activity';
import type { GuardedClient } from './guarded-client';

const CHECK_INTERVAL_MS = 500;
/** In checks, not by the clock: a process that was stopped itself has received nothing meanwhile. */
const SILENT_CHECKS = 4;
/** Time for PostgreSQL to report a statement timeout. */
const AFTER_TIMEOUT_MS = 2_000;
/** After this time without a response PostgreSQL counts as silent. */
const RESPONSE_TIMEOUT_MS = 500;
/** A response may arrive while PostgreSQL is asked about it. */
const IDLE_TIMES = 2;

interface Watched {
  /** How many checks the connection may be silent if PostgreSQL cannot tell about it. */
  readonly maxChecks: number;
  query: object | null;
  heardBytes: number;
  checks: number;
  foundIdle: number;
}

/**
 * Closes connections that will not receive a response, because PostgreSQL, its machine or the network
 * is frozen. `pg` would wait without a limit; its `query_timeout` would leave the dead connection to
 * the next request (node-postgres #3399).
 *
 * Every half second it checks all connections, so that a query costs nothing. If one has been silent
 * for two seconds, it asks PostgreSQL over a new connection whether that backend is active. If the
 * backend is idle twice, or PostgreSQL does not respond, it closes the connection. If the backend is
 * active, the statement takes long and goes on.
 */
export class ConnectionWatch {
  private readonly watched = new Map<GuardedClient, Watched>();
  private timer: NodeJS.Timeout | undefined;
  /** When PostgreSQL was asked, until it responds. */
  private queriedAtMs: number | null = null;
  /** Whether PostgreSQL did not respond to the last query, and nothing has arrived since. */
  private hasNoResponse = false;

  constructor(private readonly url: string) {}

  /**
   * @param statementMs Timeout of a statement on the connection. Beyond it the connection is closed
   *   if PostgreSQL cannot tell what the backend does, as behind a pooler that hides process ids.
   */
  add(client: GuardedClient, statementMs = Infinity): void {
    this.watched.set(client, {
      maxChecks: (statementMs + AFTER_TIMEOUT_MS) / CHECK_INTERVAL_MS,
      query: null,
      heardBytes: 0,
      checks: 0,
      foundIdle: 0,
    });
    client.once('end', () => this.watched.delete(client));
    this.timer ??= setInterval(() => void this.check(), CHECK_INTERVAL_MS).unref();
  }

  /** Whether PostgreSQL does not respond: connections are silent, and so is a new one. */
  get isSilent(): boolean {
    const { queriedAtMs } = this;
    return (
      this.hasNoResponse ||
      (queriedAtMs !== null && performance.now() - queriedAtMs > RESPONSE_TIMEOUT_MS)
    );
  }

  /** Whether PostgreSQL responds over a new connection within that time. Never throws. */
  responds(timeoutMs: number): Promise<boolean> {
    return respondsOnNewConnection(this.url, timeoutMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async check(): Promise<void> {
    const silent: GuardedClient[] = [];
    for (const [client, seen] of this.watched) {
      if (client.heardBytes !== seen.heardBytes) this.hasNoResponse = false;
      if (isSilent(client, seen) && seen.checks >= SILENT_CHECKS) silent.push(client);
    }
    if (silent.length === 0 || this.queriedAtMs !== null) return;
    this.queriedAtMs = performance.now();
    const activity = await findBusyBackends(
      this.url,
      silent.map(({ backendId }) => backendId),
    );
    this.queriedAtMs = null;
    this.hasNoResponse = activity.kind === 'none';
    for (const client of silent) {
      const seen = this.watched.get(client);
      if (!seen || !hasNotChanged(client, seen)) continue;
      const isIdle = activity.kind === 'busy' && !activity.processIds.has(client.backendId);
      seen.foundIdle = isIdle ? seen.foundIdle + 1 : 0;
      const isGone =
        activity.kind === 'none' ||
        seen.foundIdle >= IDLE_TIMES ||
        (activity.kind === 'unknown' && seen.checks > seen.maxChecks);
      if (isGone) client.abandon(new SilentDatabaseError());
    }
  }
}

/** Thrown when a connection was closed because no response came. */
export class SilentDatabaseError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('PostgreSQL does not respond.');
  }
}

function isSilent(client: GuardedClient, seen: Watched): boolean {
  if (hasNotChanged(client, seen)) {
    seen.checks += 1;
    return true;
  }
  seen.query = client.owed;
  seen.heardBytes = client.heardBytes;
  seen.checks = 0;
  seen.foundIdle = 0;
  return false;
}

function hasNotChanged(client: GuardedClient, { query, heardBytes }: Watched): boolean {
  return query !== null && client.owed === query && client.heardBytes === heardBytes;
}
