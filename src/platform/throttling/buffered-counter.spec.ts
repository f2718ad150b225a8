import { BufferedCounter } from './buffered-counter';

const LIMIT = 600;
const ENDS_AT_MS = 60_000;

/** Returns a counter to which Redis has reported this count. */
function heard(count: number, limit = LIMIT): BufferedCounter {
  const counter = new BufferedCounter(limit, ENDS_AT_MS);
  counter.heard(counter.take(), { count, endsInMs: ENDS_AT_MS }, 0);
  return counter;
}

/** Returns how many hits pass before Redis has counted them. None of them is sent. */
function letThrough(counter: BufferedCounter): number {
  let count = 0;
  for (; counter.isAhead && count < LIMIT; count += 1) counter.add();
  return count;
}

describe('the number of requests that are accepted ahead of Redis', () => {
  it.each([
    [0, 30],
    [300, 15],
    [580, 1],
    [581, 0],
    [600, 0],
    [700, 0],
  ])('is a twentieth of what is left: with %d of 600 counted it is %d', (count, ahead) => {
    expect(letThrough(heard(count))).toBe(ahead);
  });

  it('is 0 for a limit below 20', () => {
    expect(letThrough(heard(0, 19))).toBe(0);
    expect(letThrough(heard(0, 20))).toBe(1);
  });

  it('does not grow while requests are being counted, and follows from what is left afterwards', () => {
    const counter = heard(0);
    expect(letThrough(counter)).toBe(30);
    const batch = counter.take();
    expect(letThrough(counter)).toBe(0);
    // Other instances have counted, too.
    counter.heard(batch, { count: 400, endsInMs: ENDS_AT_MS }, 0);
    expect(letThrough(counter)).toBe(10);
  });

  it('is based on a reply of Redis for a second only', () => {
    const counter = heard(0);
    expect([counter.isFresh(999), counter.isFresh(1_000)]).toEqual([true, false]);
    expect(new BufferedCounter(LIMIT, ENDS_AT_MS).isFresh(0)).toBe(false);
  });
});

describe('a hit that waits for Redis', () => {
  /** Adds hits that wait, and returns whether each is allowed once that is known. */
  const wait = (counter: BufferedCounter, hits: number): Promise<boolean[]> =>
    Promise.all(
      Array.from({ length: hits }, async () => {
        counter.add();
        return (await counter.wait()).allowed;
      }),
    );

  it('is judged by its place among all that Redis has counted', async () => {
    const counter = heard(0, 10);
    const verdicts = wait(counter, 4);
    // Eight hits of other instances, followed by these four.
    counter.heard(counter.take(), { count: 12, endsInMs: 5_000 }, 0);
    expect(await verdicts).toEqual([true, true, false, false]);
    expect(counter.verdict(false, 0)).toEqual({ allowed: false, remaining: 0, resetSeconds: 5 });
    expect(counter.isUsedUp).toBe(true);
  });

  it('is judged by what this replica knows where no answer comes, and counts for it', async () => {
    const counter = heard(8, 10);
    const verdicts = wait(counter, 4);
    counter.lost(counter.take(), 0);
    expect(await verdicts).toEqual([true, true, false, false]);
    expect(counter.isUsedUp).toBe(true);
    // Redis may have counted them, so they are not sent again.
    expect([counter.hasUntold, counter.take().net]).toEqual([false, 0]);
  });

  it('waits no longer for what is late, also where it came behind it', async () => {
    const counter = heard(9, 10);
    const first = wait(counter, 1);
    const batch = counter.take();
    const behind = wait(counter, 1);
    counter.letGo(batch, 0);
    expect([await first, await behind]).toEqual([[true], [false]]);
    expect([counter.isWaitedFor, counter.hasUntold]).toEqual([false, true]);
  });
});

describe('a hit that is taken back', () => {
  it('is told to Redis as one less', () => {
    const counter = heard(2, 3);
    counter.add();
    expect(counter.isUsedUp).toBe(true);
    counter.takeBack();
    expect([counter.isUsedUp, counter.take().net]).toEqual([false, 0]);
    counter.takeBack();
    expect(counter.take().net).toBe(-1);
  });
});
