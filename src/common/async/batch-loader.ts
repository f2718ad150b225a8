interface Waiter<V> {
  readonly resolve: (value: V | null) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Looks things up by key, one lookup at a time: who comes while one is in progress waits for the
 * next, which then serves all who wait together. So a busy process asks once for many, and yet
 * every answer comes from a lookup that began after it was asked for: nothing is remembered,
 * nothing can be stale.
 */
export class BatchLoader<V> {
  private waiting = new Map<string, Waiter<V>[]>();
  private isRunning = false;

  /** @param find Gives what it finds, by key; what is missing was not found. */
  constructor(private readonly find: (keys: string[]) => Promise<ReadonlyMap<string, V>>) {}

  /** The value of `key`, or `null`. @throws what `find` threw for the lookup it was part of. */
  get(key: string): Promise<V | null> {
    return new Promise((resolve, reject) => {
      const waiters = this.waiting.get(key);
      if (waiters) waiters.push({ resolve, reject });
      else this.waiting.set(key, [{ resolve, reject }]);
      if (!this.isRunning) void this.serve();
    });
  }

  private async serve(): Promise<void> {
    this.isRunning = true;
    while (this.waiting.size > 0) {
      const batch = this.waiting;
      this.waiting = new Map();
      try {
        const found = await this.find([...batch.keys()]);
        settle(batch, (waiter, key) => {
          waiter.resolve(found.get(key) ?? null);
        });
      } catch (error) {
        settle(batch, (waiter) => {
          waiter.reject(error);
        });
      }
    }
    this.isRunning = false;
  }
}

function settle<V>(
  batch: ReadonlyMap<string, readonly Waiter<V>[]>,
  each: (waiter: Waiter<V>, key: string) => void,
): void {
  for (const [key, waiters] of batch) {
    for (const waiter of waiters) each(waiter, key);
  }
}
