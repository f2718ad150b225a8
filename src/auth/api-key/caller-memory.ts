import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ChangeListener } from '../../platform/database/change-listener';
import { DatabaseUrl } from '../../platform/database/database-url';
import type { FoundCaller } from './api-key.repository';
import { secondsUntilTouch } from '../last-use';

const MAX_CALLERS = 10_000;

/** After that the database is asked in any case. */
const KEEP_SECONDS = 60;

/**
 * Callers by the hash of their key, kept while PostgreSQL's notices are heard: every change of a
 * key, a user or an account empties it.
 */
@Injectable()
export class CallerMemory implements OnApplicationShutdown {
  private readonly callers = new LRUCache<string, FoundCaller>({ max: MAX_CALLERS });
  private readonly notices: ChangeListener;
  /** Counts the changes: what was looked up across one is not kept. */
  private changes = 0;

  constructor({ url }: DatabaseUrl) {
    this.notices = new ChangeListener(url, 'caller_changed', () => {
      this.changes += 1;
      this.callers.clear();
    });
  }

  /** `null` where the database has to be asked. */
  find(hash: string): FoundCaller | null {
    return this.notices.isCurrent ? (this.callers.get(hash) ?? null) : null;
  }

  /** Does a lookup, and keeps what it finds unless something has changed meanwhile. */
  async keep(
    lookup: () => Promise<ReadonlyMap<string, FoundCaller>>,
  ): Promise<ReadonlyMap<string, FoundCaller>> {
    const { changes } = this;
    // By the lookup's beginning, on the cache's own clock: what it read may be as old.
    const start = performance.now();
    const found = await lookup();
    if (changes !== this.changes) return found;
    for (const [hash, caller] of found) {
      // Once its use is to be written again, a key is looked up each time until that is done.
      const expiresInSeconds = caller.expiresInSeconds ?? KEEP_SECONDS;
      const seconds = Math.min(KEEP_SECONDS, secondsUntilTouch(caller), expiresInSeconds);
      const ttl = Math.floor(seconds * 1000);
      // To the cache, 0 would be for ever.
      if (ttl > 0) this.callers.set(hash, caller, { ttl, start });
    }
    return found;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.notices.stop();
  }
}
