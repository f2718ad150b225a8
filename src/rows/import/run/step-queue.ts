/**
 * Processes items one after another in the background. The producer waits if it is too far ahead.
 */
export class StepQueue<Item> {
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  private hasFailed = false;
  private onTaken: (() => void) | null = null;
  /** Whether any item was ever queued. */
  hasBegun = false;

  constructor(
    private readonly work: (item: Item) => Promise<void>,
    private readonly maxWaiting: number,
  ) {}

  /**
   * Queues an item. Waits while `maxWaiting` items are waiting.
   * @throws the error of an earlier item
   */
  async put(item: Item): Promise<void> {
    this.hasBegun = true;
    if (this.hasFailed) await this.last;
    while (this.waiting >= this.maxWaiting) {
      await new Promise<void>((resolve) => (this.onTaken = resolve));
      if (this.hasFailed) await this.last;
    }
    this.waiting += 1;
    this.last = this.last.then(() => this.take(item));
    this.last.catch(() => {
      this.hasFailed = true;
      this.onTaken?.();
    });
  }

  /** Waits until all items are processed. @throws the error of an item */
  async end(): Promise<void> {
    await this.last;
  }

  private async take(item: Item): Promise<void> {
    this.waiting -= 1;
    this.onTaken?.();
    await this.work(item);
  }
}
