import type { Logger } from '../logging/logger';
import { RequestLimiter } from './load';

const LATE_MS = 51;
const IN_TIME_MS = 50;
const LATE = [LATE_MS, LATE_MS];

/** Returns a load with a limit of 100 and this number of requests in progress per account. */
function started(accounts: Readonly<Record<string, number>>): RequestLimiter {
  const load = new RequestLimiter(
    { maxConcurrentRequests: 100, maxEventLoopDelayMs: 50 },
    {} as Logger,
  );
  for (const [account, count] of Object.entries(accounts)) {
    for (let n = 0; n < count; n += 1) begin(load, account);
  }
  return load;
}

function begin(load: RequestLimiter, account: string): void {
  load.begin();
  load.beginFor(account);
}

function end(load: RequestLimiter, account: string): void {
  load.end();
  load.endFor(account);
}

/** Returns how many more requests an account may have in progress after these event-loop delays. */
function roomFor(load: RequestLimiter, account: string, ...delaysMs: number[]): number {
  for (const delayMs of delaysMs) load.adapt(delayMs);
  let taken = 0;
  begin(load, account);
  for (; !load.overShareError(account) && taken < 1_000; taken += 1) begin(load, account);
  for (let n = 0; n <= taken; n += 1) end(load, account);
  return taken;
}

/**
 * Returns how many more anonymous requests an address may have in progress, and the code that
 * rejects the next one.
 */
function roomForAnonymous(load: RequestLimiter, address: string): [number, string | undefined] {
  for (let taken = 0; ; taken += 1) {
    load.begin();
    load.beginAnonymous(address);
    const rejection = load.anonymousOverShareError(address);
    if (rejection || taken === 1_000) {
      load.end();
      load.endAnonymous(address);
      return [taken, rejection?.code];
    }
  }
}

describe('the limit on anonymous requests in progress', () => {
  it('gives one address a quarter of the limit, and all addresses together half', () => {
    const load = started({});
    expect(roomForAnonymous(load, 'a')).toEqual([25, 'rate_limited']);
    expect(roomForAnonymous(load, 'b')).toEqual([25, 'rate_limited']);
    expect(roomForAnonymous(load, 'c')).toEqual([0, 'unavailable']);
    expect(load.state.rejectedAnonymous).toBe(3);
    load.end();
    load.endAnonymous('a');
    expect(roomForAnonymous(load, 'c')).toEqual([1, 'unavailable']);
  });

  it('gives anonymous callers no more than an equal share if accounts fill the limit', () => {
    expect(roomForAnonymous(started({ a: 30, b: 30, c: 16 }), 'x')).toEqual([20, 'unavailable']);
  });

  it('reduces no share of an account', () => {
    const load = started({ a: 40 });
    roomForAnonymous(load, 'x');
    expect(roomFor(load, 'a')).toBe(10);
    expect(roomFor(load, 'b')).toBe(33);
  });
});

describe('the limit on requests in progress', () => {
  it('rejects every request once the process has reached its limit', () => {
    expect(started({ a: 50, b: 49 }).isFull).toBe(false);
    expect(started({ a: 50, b: 50 }).isFull).toBe(true);
  });

  it('gives an account half of the limit while there is room for others', () => {
    expect(roomFor(started({}), 'a')).toBe(50);
    expect(roomFor(started({ a: 50 }), 'a')).toBe(0);
  });

  it('gives a late account its share while others use theirs', () => {
    // Above three quarters of the limit, each of three accounts may have a quarter of it.
    const load = started({ a: 50, b: 25 });
    expect(roomFor(load, 'c')).toBe(25);
    expect(roomFor(load, 'a')).toBe(0);
    expect(roomFor(started({ a: 20, b: 20 }), 'c')).toBe(35);
  });

  it('never rejects the first request of an account', () => {
    const load = started(Object.fromEntries(Array.from({ length: 99 }, (_, n) => [String(n), 1])));
    expect(roomFor(load, 'new')).toBe(1);
  });

  it('ignores a single delay, however long', () => {
    expect(roomFor(started({ a: 50 }), 'b', 10_000, IN_TIME_MS, 10_000)).toBe(33);
  });

  it('falls to half while the event loop is late, and recovers gradually', () => {
    const load = started({ a: 20 });
    expect(roomFor(load, 'b', ...LATE, LATE_MS)).toBe(17);
    expect(load.state.shareLimit).toBe(50);
    load.adapt(IN_TIME_MS);
    expect(load.state.shareLimit).toBe(52);
    for (let n = 0; n < 24; n += 1) load.adapt(IN_TIME_MS);
    expect(load.state.shareLimit).toBe(100);
    load.adapt(IN_TIME_MS);
    expect(load.state.shareLimit).toBe(100);
  });

  it('falls below the number of requests in progress while the event loop is late', () => {
    const load = started({ a: 45, b: 45 });
    expect([roomFor(load, 'a', ...LATE), load.state.shareLimit]).toEqual([0, 72]);
  });

  it('gives a single account half of the limit while the event loop is late', () => {
    expect(roomFor(started({}), 'a', ...LATE)).toBe(50);
  });

  it('forgets an account without requests in progress', () => {
    const load = started({ a: 1, b: 50 });
    end(load, 'a');
    // The equal part of two accounts is a third of the limit. With `a`, it would be a quarter.
    expect(roomFor(load, 'c')).toBe(33);
  });
});
