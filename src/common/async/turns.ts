/** As many wait as may. */
export class TurnsTakenError extends Error {}

/** Does work in turns: some at a time, some waiting, and no more. */
export class Turns {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly mostAtATime: number,
    private readonly mostWaiting: number,
  ) {}

  /** @throws TurnsTakenError at once, where as many wait as may. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.mostAtATime) this.running += 1;
    else await this.wait();
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // Whoever comes next takes this place over.
      if (next) next();
      else this.running -= 1;
    }
  }

  private async wait(): Promise<void> {
    if (this.waiting.length >= this.mostWaiting) throw new TurnsTakenError();
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }
}
