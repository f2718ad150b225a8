import { BufferedCounter } from './buffered-counter';

const LIMIT = 600;
const ENDS_AT_MS = 60_000;

/** Returns a counter to which Redis has reported this count. */
function counterAfterReply(count: number, limit = LIMIT): BufferedCounter {
  const counter = new BufferedCounter(limit, ENDS_AT_MS);
  counter.confirm(counter.take(), { count, endsInMs: ENDS_AT_MS }, 0);
  return counter;
}

/** Returns how many hits pass before Redis has counted them. None of them is sent. */
function letThrough(counter: BufferedCounter): number {
  let count = 0;
  for (; counter.isAhead && count < LIMIT; count += 1) counter.add();
  return count;
}

describe('BufferedCounter, before Redis has counted', () => {
  it.each([
    [0, 30],
    [300, 15],
    [580, 1],
    [581, 0],
    [600, 0],
    [700, 0],
  ])('accepts a twentieth of what is left: with %d of 600 counted, %d', (count, ahead) => {
    expect(letThrough(counterAfterReply(count))).toBe(ahead);
  });

  it('accepts none for a limit below 20', () => {
    expect(letThrough(counterAfterReply(0, 19))).toBe(0);
    expect(letThrough(counterAfterReply(0, 20))).toBe(1);
  });

  it('accepts no more while requests are being counted, and then a twentieth of what is left', () => {
    const counter = counterAfterReply(0);
    expect(letThrough(counter)).toBe(30);
    const batch = counter.take();
    expect(letThrough(counter)).toBe(0);
    // Other instances have counted, too.
    counter.confirm(batch, { count: 400, endsInMs: ENDS_AT_MS }, 0);
    expect(letThrough(counter)).toBe(10);
  });

  it('trusts a reply of Redis for one second only', () => {
    const counter = counterAfterReply(0);
    expect([counter.isFresh(999), counter.isFresh(1_000)]).toEqual([true, false]);
    expect(new BufferedCounter(LIMIT, ENDS_AT_MS).isFresh(0)).toBe(false);
  });
});

describe('BufferedCounter, for a waiting hit', () => {
  /** Adds hits that wait, and returns whether each is allowed once that is known. */
  const wait = (counter: BufferedCounter, hits: number): Promise<boolean[]> =>
    Promise.all(
      Array.from({ length: hits }, async () => {
        counter.add();
        return (await counter.wait()).allowed;
      }),
    );

  it('decides by the position of the hit in the count of Redis', async () => {
    const counter = counterAfterReply(0, 10);
    const verdicts = wait(counter, 4);
    // Eight hits of other instances, followed by these four.
    counter.confirm(counter.take(), { count: 12, endsInMs: 5_000 }, 0);
    expect(await verdicts).toEqual([true, true, false, false]);
    expect(counter.verdict(false, 0)).toEqual({ allowed: false, remaining: 0, resetSeconds: 5 });
    expect(counter.isUsedUp).toBe(true);
  });

  it('decides by the local count if Redis does not reply, and counts the hit', async () => {
    const counter = counterAfterReply(8, 10);
    const verdicts = wait(counter, 4);
    counter.fail(counter.take(), 0);
    expect(await verdicts).toEqual([true, true, false, false]);
    expect(counter.isUsedUp).toBe(true);
    // Redis may have counted them, so they are not sent again.
    expect([counter.hasUnsent, counter.take().net]).toEqual([false, 0]);
  });

  it('stops waiting for a late reply, also for later hits', async () => {
    const counter = counterAfterReply(9, 10);
    const first = wait(counter, 1);
    const batch = counter.take();
    const behind = wait(counter, 1);
    counter.endWaits(batch, 0);
    expect([await first, await behind]).toEqual([[true], [false]]);
    expect([counter.isWaitedFor, counter.hasUnsent]).toEqual([false, true]);
  });
});

describe('BufferedCounter, for a withdrawn hit', () => {
  it('reports one hit less to Redis', () => {
    const counter = counterAfterReply(2, 3);
    counter.add();
    expect(counter.isUsedUp).toBe(true);
    counter.undo();
    expect([counter.isUsedUp, counter.take().net]).toEqual([false, 0]);
    counter.undo();
    expect(counter.take().net).toBe(-1);
  });
});
