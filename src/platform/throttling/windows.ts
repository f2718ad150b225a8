import { LRUCache } from 'lru-cache';

/**
 * Maximum number of names. Beyond it, the least recently used name is removed, so that a client
 * with a million addresses does not exhaust the memory.
 */
const MAX_NAMES = 100_000;

/** State of each name in its window. It is removed after the window ends. */
export class Windows<T extends object> {
  private readonly known = new LRUCache<string, T>({ max: MAX_NAMES });
  private isForgetting = false;

  constructor(
    private readonly windowSeconds: number,
    private readonly isOver: (window: T, nowMs: number) => boolean,
  ) {}

  /** Number of stored names. */
  get size(): number {
    return this.known.size;
  }

  /**
   * Returns the state of a name. If it has none, or its window is over, `begin` creates a new one.
   */
  get(name: string, nowMs: number, begin: () => T): T {
    const known = this.known.get(name);
    if (known && !this.isOver(known, nowMs)) return known;
    const window = begin();
    this.known.set(name, window);
    this.forgetLater();
    return window;
  }

  private forgetLater(): void {
    if (this.isForgetting) return;
    this.isForgetting = true;
    const forget = (): void => {
      this.isForgetting = false;
      const nowMs = performance.now();
      for (const [name, window] of this.known.entries()) {
        if (this.isOver(window, nowMs)) this.known.delete(name);
      }
      if (this.known.size > 0) this.forgetLater();
    };
    setTimeout(forget, this.windowSeconds * 1000).unref();
  }
}
