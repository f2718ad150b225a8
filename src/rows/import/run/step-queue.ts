/** Does work on items one after another, beside whoever puts them in and not far behind. */
export class StepQueue<Item> {
  private last: Promise<void> = Promise.resolve();
  private waiting = 0;
  private hasFailed = false;
  private onTaken: (() => void) | null = null;
  /** Whether anything was ever put in. */
  hasBegun = false;

  constructor(
    private readonly work: (item: Item) => Promise<void>,
    private readonly maxWaiting: number,
  ) {}

  /** Waits where too many wait already. @throws what the work on an earlier item has thrown */
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

  /** Waits for what was put in. @throws what the work on an item has thrown */
  async end(): Promise<void> {
    await this.last;
  }

  private async take(item: Item): Promise<void> {
    this.waiting -= 1;
    this.onTaken?.();
    await this.work(item);
  }
}
