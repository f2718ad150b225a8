import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ChangeListener } from '../../platform/database/change-listener';
import { DatabaseUrl } from '../../platform/database/session-settings';
import type { FoundCaller } from './api-key.repository';
import { secondsUntilLastUseIsDue } from '../session/session.service';

const MAX_CALLERS = 10_000;

/** Maximum age of a cached caller. */
const KEEP_SECONDS = 60;

/**
 * Cache of authenticated callers by the hash of their key. It is used only while PostgreSQL
 * notifications arrive. Every change of a key, a user or an account clears it.
 */
@Injectable()
export class CallerCache implements OnApplicationShutdown {
  private readonly callers = new LRUCache<string, FoundCaller>({ max: MAX_CALLERS });
  private readonly notices: ChangeListener;
  /** Number of changes so far. A lookup during which it grows is not cached. */
  private changes = 0;

  constructor({ url }: DatabaseUrl) {
    this.notices = new ChangeListener(url, 'caller_changed', () => {
      this.changes += 1;
      this.callers.clear();
    });
  }

  /** Returns a cached caller; `null` if the database must be queried. */
  find(hash: string): FoundCaller | null {
    return this.notices.isCurrent ? (this.callers.get(hash) ?? null) : null;
  }

  /** Runs a lookup and caches its result, unless something has changed meanwhile. */
  async findAndCache(
    lookup: () => Promise<ReadonlyMap<string, FoundCaller>>,
  ): Promise<ReadonlyMap<string, FoundCaller>> {
    const { changes } = this;
    // Entries age from the start of the lookup, on the cache's own clock: the data may be that old.
    const start = performance.now();
    const found = await lookup();
    if (changes !== this.changes) return found;
    for (const [hash, caller] of found) {
      // While the last use of a key is due to be stored, the key is not cached.
      const expiresInSeconds = caller.expiresInSeconds ?? KEEP_SECONDS;
      const seconds = Math.min(KEEP_SECONDS, secondsUntilLastUseIsDue(caller), expiresInSeconds);
      const ttl = Math.floor(seconds * 1000);
      // The cache treats a TTL of 0 as no expiry.
      if (ttl > 0) this.callers.set(hash, caller, { ttl, start });
    }
    return found;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.notices.stop();
  }
}
