import { LRUCache } from 'lru-cache';

/**
 * Names that are remembered at a time. Past it those go that were idle for longest: whoever comes
 * from a million addresses is not to take the memory.
 */
const MAX_NAMES = 100_000;

/** What is known of each name in its window; forgotten once that is over. */
export class Windows<T extends object> {
  private readonly known = new LRUCache<string, T>({ max: MAX_NAMES });
  private isForgetting = false;

  constructor(
    private readonly windowSeconds: number,
    private readonly isOver: (window: T, nowMs: number) => boolean,
  ) {}

  /** How many names are remembered. */
  get size(): number {
    return this.known.size;
  }

  /** What is known of a name; a new window by `begin` where there is none, or it is over. */
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
