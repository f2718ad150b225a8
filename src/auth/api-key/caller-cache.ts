import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../common/caller/app-request';
import { ChangeListener } from '../../platform/database/change-listener';
import { DatabaseUrl } from '../../platform/database/session-settings';
import type { FoundCaller } from './api-key.repository';
import { secondsUntilLastUseIsDue } from '../session/session.service';

const MAX_CALLERS = 10_000;

/** Maximum age of a cached caller. */
const KEEP_SECONDS = 60;

/**
 * What a notification says has changed: `user:`, `account:` or `session:` and an id, or the id of a key. If it is
 * missing, anything may have changed.
 */
export type CallerChange = string | undefined;

type ChangeHandler = (change: CallerChange) => void;

/** Returns the changes that concern a caller. */
export function changesOf({ keyId, sessionId, userId, accountId }: Caller): CallerChange[] {
  const credential = keyId ?? `session:${sessionId ?? ''}`;
  return [undefined, credential, `user:${userId}`, `account:${accountId}`];
}

/**
 * Cache of authenticated callers by the hash of their key. It is used only while PostgreSQL
 * notifications arrive. A change of a key removes its caller; every change of a user or an account clears it.
 * Sessions are not cached, but whoever serves one can hear of its end.
 */
@Injectable()
export class CallerCache implements OnApplicationShutdown {
  private readonly callers = new LRUCache<string, FoundCaller>({
    max: MAX_CALLERS,
    dispose: ({ keyId }, hash) => {
      if (this.hashes.get(keyId) === hash) this.hashes.delete(keyId);
    },
  });
  /** Hashes of the cached callers by the ids of their keys. The hash of a key can change. */
  private readonly hashes = new Map<string, string>();
  private readonly notices: ChangeListener;
  /** Number of changes so far. A lookup during which it grows is not cached. */
  private changes = 0;
  private readonly handlers = new Set<ChangeHandler>();

  constructor({ url }: DatabaseUrl) {
    this.notices = new ChangeListener(url, 'caller_changed', (change) => {
      this.forget(change);
      for (const handle of this.handlers) handle(change);
    });
  }

  /**
   * Calls a handler with every change of a key, a user, an account or a session from now on. Adding it again has no
   * effect.
   */
  onChange(handle: ChangeHandler): void {
    this.handlers.add(handle);
    this.notices.begin();
  }

  private forget(change: CallerChange): void {
    if (change?.startsWith('session:') === true) return;
    this.changes += 1;
    if (change === undefined || change.includes(':')) this.callers.clear();
    else this.callers.delete(this.hashes.get(change) ?? '');
  }

  /** Whether all changes have been received that were committed before the last heartbeat. */
  get isCurrent(): boolean {
    return this.notices.isCurrent;
  }

  /** Returns a cached caller; `null` if the database must be queried. */
  find(hash: string): FoundCaller | null {
    return this.isCurrent ? (this.callers.get(hash) ?? null) : null;
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
      if (ttl > 0) this.keep(hash, caller, { ttl, start });
    }
    return found;
  }

  /** A key has one hash in the cache, so that a change of the key finds it. */
  private keep(hash: string, caller: FoundCaller, age: { ttl: number; start: number }): void {
    const before = this.hashes.get(caller.keyId);
    if (before !== undefined && before !== hash) this.callers.delete(before);
    this.callers.set(hash, caller, age);
    this.hashes.set(caller.keyId, hash);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.notices.stop();
  }
}
