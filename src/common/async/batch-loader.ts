interface Waiter<V> {
  readonly resolve: (value: V | null) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Looks up values by key, one lookup at a time. Calls that arrive while a lookup is in progress
 * share the next one, so a busy process sends one lookup for many calls. Each result comes from a
 * lookup that started after its call, so results are never cached or stale.
 */
export class BatchLoader<V> {
  private waiting = new Map<string, Waiter<V>[]>();
  private isRunning = false;

  /** @param find Looks up keys. Keys that were not found are absent from its result. */
  constructor(private readonly find: (keys: string[]) => Promise<ReadonlyMap<string, V>>) {}

  /**
   * Returns the value of `key`, or `null` if it was not found.
   * @throws the error that `find` threw for the lookup of this call.
   */
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
