import { OutputTimeBudget } from './database';

const HOUR_MS = 3_600_000;

async function* parts(...sizes: number[]): AsyncGenerator<Buffer> {
  for (const size of sizes) yield await Promise.resolve(Buffer.alloc(size));
}

/**
 * Waits for a part that never arrives.
 * @returns whether the budget ran out within `giveUpAfterMs`.
 */
const wait = (budget: OutputTimeBudget, giveUpAfterMs: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      resolve(false);
    }, giveUpAfterMs);
    const giveUp = (): void => {
      clearTimeout(timer);
      resolve(true);
    };
    const never = { next: () => new Promise<never>(() => undefined) };
    budget.next(never, giveUp).catch(reject);
  });

describe('WorkBudget', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('gives up if no part arrives within the time limit', async () => {
    const waited = wait(new OutputTimeBudget(HOUR_MS), HOUR_MS + 1);
    await jest.advanceTimersByTimeAsync(HOUR_MS + 1);
    expect(await waited).toBe(true);
  });

  it('extends the time limit for each megabyte received', async () => {
    const budget = new OutputTimeBudget(HOUR_MS, HOUR_MS);
    const source = parts(1_000_000, 500_000);
    for (const size of [1_000_000, 500_000]) {
      const part = await budget.next(source, () => undefined);
      expect((part.value as Buffer).length).toBe(size);
    }
    expect((await budget.next(source, () => undefined)).done).toBe(true);
    const waited = wait(budget, 2.4 * HOUR_MS);
    await jest.advanceTimersByTimeAsync(2.4 * HOUR_MS);
    expect(await waited).toBe(false);
  });
});
