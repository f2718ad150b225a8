/** Runs work one at a time, in order. */
export class ExclusiveWork {
  /** Settles when all work that is queued has ended. */
  private last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T>;
  /** @returns `null` if the work cannot start within `maxWaitMs`. It then never runs. */
  run<T>(work: () => Promise<T>, maxWaitMs: number | undefined): Promise<T | null>;
  async run<T>(work: () => Promise<T>, maxWaitMs?: number): Promise<T | null> {
    let isLate = false;
    let timer: NodeJS.Timeout | undefined;
    const turn = this.last.then(() => {
      clearTimeout(timer);
      return isLate ? null : work();
    });
    this.last = turn.catch(() => undefined);
    if (maxWaitMs === undefined) return turn;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => {
        isLate = true;
        resolve(null);
      }, maxWaitMs);
    });
    return Promise.race([turn, late]);
  }
}
