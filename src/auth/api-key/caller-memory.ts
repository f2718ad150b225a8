import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Recent } from '../../common/cache/recent';
import { ChangeNotices } from '../../platform/database/change-notices';
import { DatabaseUrl } from '../../platform/database/database-url';
import type { FoundCaller } from './api-key.repository';
import { secondsUntilTouch } from './last-use';

const MOST_CALLERS = 10_000;

/** After that the database is asked in any case. */
const KEEP_SECONDS = 60;

interface Remembered {
  readonly caller: FoundCaller;
  readonly untilMs: number;
}

/**
 * Callers by the hash of their key, kept while PostgreSQL's notices are heard: every change of a
 * key, a user or an account empties it.
 */
@Injectable()
export class CallerMemory implements OnApplicationShutdown {
  private readonly callers = new Recent<Remembered>(MOST_CALLERS);
  private readonly notices: ChangeNotices;
  /** Counts the changes: what was looked up across one is not kept. */
  private changes = 0;

  constructor({ url }: DatabaseUrl) {
    this.notices = new ChangeNotices(url, 'caller_changed', () => {
      this.changes += 1;
      this.callers.clear();
    });
  }

  /** `null` where the database has to be asked. */
  find(hash: string): FoundCaller | null {
    if (!this.notices.areHeard) return null;
    const remembered = this.callers.find(hash);
    return remembered && performance.now() < remembered.untilMs ? remembered.caller : null;
  }

  /** Does a lookup, and keeps what it finds unless something has changed meanwhile. */
  async keep(
    lookup: () => Promise<ReadonlyMap<string, FoundCaller>>,
  ): Promise<ReadonlyMap<string, FoundCaller>> {
    const { changes } = this;
    const startedAtMs = performance.now();
    const found = await lookup();
    if (changes !== this.changes) return found;
    for (const [hash, caller] of found) {
      // Once its use is to be written again, a key is looked up each time until that is done.
      const expiresInSeconds = caller.expiresInSeconds ?? KEEP_SECONDS;
      const seconds = Math.min(KEEP_SECONDS, secondsUntilTouch(caller), expiresInSeconds);
      if (seconds > 0) this.callers.set(hash, { caller, untilMs: startedAtMs + seconds * 1000 });
    }
    return found;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.notices.stop();
  }
}
