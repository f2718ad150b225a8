/**
 * Time in milliseconds for which one piece of work may hold the event loop before other work runs.
 */
export const SLICE_MS = 3;

/**
 * Lets waiting accounts take turns: each turn of the event loop runs one slice of work, and an account that was
 * served goes to the end. So many large requests delay a small one by one slice for each turn of the loop
 * that it needs.
 */
export class AccountTurns {
  /** Waiting work by account, in the order of their turns. */
  private readonly queues = new Map<string, (() => void)[]>();

  /** Waits until the event loop has turned and the account may run a slice of work. */
  next(accountId: string): Promise<void> {
    if (this.queues.size === 0) setImmediate(this.admit);
    return new Promise((resolve) => {
      const queue = this.queues.get(accountId);
      if (queue) queue.push(resolve);
      else this.queues.set(accountId, [resolve]);
    });
  }

  private readonly admit = (): void => {
    const { queues } = this;
    const [first] = queues;
    if (!first) return;
    const [accountId, queue] = first;
    const next = queue.shift();
    queues.delete(accountId);
    if (queue.length > 0) queues.set(accountId, queue);
    if (queues.size > 0) setImmediate(this.admit);
    next?.();
  };
}

/** The turns of this process. */
const turns = new AccountTurns();

/** Waits until the event loop has turned and the account may run a slice of work. See `AccountTurns`. */
export function nextTurn(accountId: string): Promise<void> {
  return turns.next(accountId);
}

/** A sequence of slices of work. */
export class Slices {
  private endsAtMs = performance.now() + SLICE_MS;

  constructor(private readonly accountId: string) {}

  /** Returns whether the slice is over. */
  readonly isDue = (): boolean => performance.now() >= this.endsAtMs;

  /** Ends the slice. Resolves when the next one begins. */
  async next(): Promise<void> {
    await nextTurn(this.accountId);
    this.endsAtMs = performance.now() + SLICE_MS;
  }
}

/** Like `items.map(work)`, in slices. Within a slice, items are processed synchronously. */
export async function mapInSlices<T, R>(
  accountId: string,
  items: readonly T[],
  work: (item: T, index: number) => R,
): Promise<R[]> {
  const slices = new Slices(accountId);
  const results: R[] = [];
  let index = 0;
  for (const item of items) {
    if (index > 0 && slices.isDue()) await slices.next();
    results.push(work(item, index));
    index += 1;
  }
  return results;
}

/** Returns the text of a JSON array, printed in slices. @param print Returns the JSON text of an item. */
export async function printInSlices<T>(
  accountId: string,
  items: readonly T[],
  print: (item: T) => string,
): Promise<string> {
  return `[${(await mapInSlices(accountId, items, print)).join(',')}]`;
}

/** Runs a generator to its end. Each time it yields, other work gets a turn. */
export async function runInSlices<R>(
  accountId: string,
  start: (isDue: () => boolean) => Generator<undefined, R>,
): Promise<R> {
  const slices = new Slices(accountId);
  const work = start(slices.isDue);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await slices.next();
  }
}
