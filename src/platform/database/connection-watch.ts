import { answersAnew, askBackends } from './backend-question';
import type { GuardedClient } from './guarded-client';

const LOOK_EVERY_MS = 500;
/** In looks, not by the clock: a process that was itself stopped has heard nothing meanwhile. */
const SILENT_LOOKS = 4;
/** PostgreSQL ends a statement by itself, and has so much time to say so. */
const AFTER_TIMEOUT_MS = 2_000;
/** A question that is not answered within that time counts as not answered. */
const ANSWER_MS = 500;
/** An answer may be on its way while the question about it is. */
const IDLE_TIMES = 2;

interface Watched {
  /** In looks; how long it may be silent where PostgreSQL cannot be asked about it. */
  readonly maxChecks: number;
  query: object | null;
  heardBytes: number;
  looks: number;
  foundIdle: number;
}

/**
 * Ends connections on which no answer will come: PostgreSQL or its machine is frozen, or something
 * on the way has forgotten the connection, and nobody was told. `pg` would wait for ever; and its
 * `query_timeout` would leave the dead connection to the next request (node-postgres #3399).
 *
 * It looks at all connections now and then, so that a query costs nothing. Of one that is silent
 * for two seconds PostgreSQL is asked, over a new connection, whether it is at work for it. Where
 * it is, the silence is a long statement; where it is not, or does not answer, all hope is gone.
 */
export class ConnectionWatch {
  private readonly watched = new Map<GuardedClient, Watched>();
  private timer: NodeJS.Timeout | undefined;
  /** When the question was asked that is not answered yet. */
  private askedAtMs: number | null = null;
  /** Whether the last question was not answered, and nothing has arrived since. */
  private isUnanswered = false;

  constructor(private readonly url: string) {}

  /**
   * @param statementMs How long PostgreSQL lets a statement run there. Beyond it the connection is
   *   given up where PostgreSQL cannot say what it is at, as behind a pooler that has process ids
   *   of its own.
   */
  add(client: GuardedClient, statementMs = Infinity): void {
    this.watched.set(client, {
      maxChecks: (statementMs + AFTER_TIMEOUT_MS) / LOOK_EVERY_MS,
      query: null,
      heardBytes: 0,
      looks: 0,
      foundIdle: 0,
    });
    client.once('end', () => this.watched.delete(client));
    this.timer ??= setInterval(() => void this.look(), LOOK_EVERY_MS).unref();
  }

  /** Whether PostgreSQL does not respond: connections are silent, and it does not say why. */
  get isSilent(): boolean {
    const { askedAtMs } = this;
    return this.isUnanswered || (askedAtMs !== null && performance.now() - askedAtMs > ANSWER_MS);
  }

  /** Whether PostgreSQL answers over a new connection within that time. Never throws. */
  answers(patienceMs: number): Promise<boolean> {
    return answersAnew(this.url, patienceMs);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    const silent: GuardedClient[] = [];
    for (const [client, seen] of this.watched) {
      if (client.heardBytes !== seen.heardBytes) this.isUnanswered = false;
      if (isSilent(client, seen) && seen.looks >= SILENT_LOOKS) silent.push(client);
    }
    if (silent.length === 0 || this.askedAtMs !== null) return;
    this.askedAtMs = performance.now();
    const answer = await askBackends(
      this.url,
      silent.map(({ backendId }) => backendId),
    );
    this.askedAtMs = null;
    this.isUnanswered = answer.kind === 'none';
    for (const client of silent) {
      const seen = this.watched.get(client);
      if (!seen || !hasNotChanged(client, seen)) continue;
      const isIdle = answer.kind === 'busy' && !answer.processIds.has(client.backendId);
      seen.foundIdle = isIdle ? seen.foundIdle + 1 : 0;
      const isGone =
        answer.kind === 'none' ||
        seen.foundIdle >= IDLE_TIMES ||
        (answer.kind === 'unknown' && seen.looks > seen.maxChecks);
      if (isGone) client.abandon(new SilentDatabaseError());
    }
  }
}

/** The connection was given up, since no answer came. */
export class SilentDatabaseError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('PostgreSQL has fallen silent.');
  }
}

function isSilent(client: GuardedClient, seen: Watched): boolean {
  if (hasNotChanged(client, seen)) {
    seen.looks += 1;
    return true;
  }
  seen.query = client.owed;
  seen.heardBytes = client.heardBytes;
  seen.looks = 0;
  seen.foundIdle = 0;
  return false;
}

function hasNotChanged(client: GuardedClient, { query, heardBytes }: Watched): boolean {
  return query !== null && client.owed === query && client.heardBytes === heardBytes;
}
