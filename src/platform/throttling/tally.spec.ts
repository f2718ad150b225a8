import { Tally } from './tally';

const LIMIT = 600;
const ENDS_AT_MS = 60_000;

/** A tally that has heard from Redis that so many were counted. */
function heard(count: number, limit = LIMIT): Tally {
  const tally = new Tally(limit, ENDS_AT_MS);
  tally.heard(tally.take(), { count, endsInMs: ENDS_AT_MS }, 0);
  return tally;
}

/** How many go through before Redis has counted them; all of them stay untold. */
function letThrough(tally: Tally): number {
  let count = 0;
  for (; tally.isAhead && count < LIMIT; count += 1) tally.add();
  return count;
}

describe('promise 19: what is let through ahead of Redis', () => {
  it.each([
    [0, 30],
    [300, 15],
    [580, 1],
    [581, 0],
    [600, 0],
    [700, 0],
  ])('is a twentieth of what is left: of 600, %d being counted, %d', (count, ahead) => {
    expect(letThrough(heard(count))).toBe(ahead);
  });

  it('is nothing of a limit under 20', () => {
    expect(letThrough(heard(0, 19))).toBe(0);
    expect(letThrough(heard(0, 20))).toBe(1);
  });

  it('stays so while they are on their way, and is of what is left then', () => {
    const tally = heard(0);
    expect(letThrough(tally)).toBe(30);
    const batch = tally.take();
    expect(letThrough(tally)).toBe(0);
    // Others have counted, too.
    tally.heard(batch, { count: 400, endsInMs: ENDS_AT_MS }, 0);
    expect(letThrough(tally)).toBe(10);
  });

  it('is told by what was heard for a second alone', () => {
    const tally = heard(0);
    expect([tally.isFresh(999), tally.isFresh(1_000)]).toEqual([true, false]);
    expect(new Tally(LIMIT, ENDS_AT_MS).isFresh(0)).toBe(false);
  });
});

describe('a hit that waits for Redis', () => {
  /** Adds hits that wait, and gives where each of them stands, once that is known. */
  const wait = (tally: Tally, hits: number): Promise<boolean[]> =>
    Promise.all(
      Array.from({ length: hits }, async () => {
        tally.add();
        return (await tally.wait()).allowed;
      }),
    );

  it('is judged by its place among all that Redis has counted', async () => {
    const tally = heard(0, 10);
    const verdicts = wait(tally, 4);
    // Eight of others, and these four behind them.
    tally.heard(tally.take(), { count: 12, endsInMs: 5_000 }, 0);
    expect(await verdicts).toEqual([true, true, false, false]);
    expect(tally.verdict(false, 0)).toEqual({ allowed: false, remaining: 0, resetSeconds: 5 });
    expect(tally.isUsedUp).toBe(true);
  });

  it('is judged by what this replica knows where no answer comes, and counts for it', async () => {
    const tally = heard(8, 10);
    const verdicts = wait(tally, 4);
    tally.lost(tally.take(), 0);
    expect(await verdicts).toEqual([true, true, false, false]);
    expect(tally.isUsedUp).toBe(true);
    // Redis may have counted them: they are not told again.
    expect([tally.hasUntold, tally.take().net]).toEqual([false, 0]);
  });

  it('waits no longer for what is late, also where it came behind it', async () => {
    const tally = heard(9, 10);
    const first = wait(tally, 1);
    const batch = tally.take();
    const behind = wait(tally, 1);
    tally.letGo(batch, 0);
    expect([await first, await behind]).toEqual([[true], [false]]);
    expect([tally.isWaitedFor, tally.hasUntold]).toEqual([false, true]);
  });
});

describe('a hit that is taken back', () => {
  it('is told to Redis as one less', () => {
    const tally = heard(2, 3);
    tally.add();
    expect(tally.isUsedUp).toBe(true);
    tally.takeBack();
    expect([tally.isUsedUp, tally.take().net]).toEqual([false, 0]);
    tally.takeBack();
    expect(tally.take().net).toBe(-1);
  });
});
