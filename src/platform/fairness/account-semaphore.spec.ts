import { AppError } from '../../common/error/app-error';
import { AccountActivity } from './account-activity';
import { accountShare, AccountSemaphore, type SemaphoreBounds } from './account-semaphore';

const MESSAGES = { full: 'The server is full.', accountFull: 'This account is full.' };
const PATIENCE_MS = 10_000;

const semaphore = (bounds: Partial<SemaphoreBounds> = {}): AccountSemaphore =>
  new AccountSemaphore(
    { total: 4, perAccount: 2, maxWaiting: 10, maxWaitingPerAccount: 5, ...bounds },
    MESSAGES,
  );

const code = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'acquired',
    (error: unknown) => (error instanceof AppError ? `${error.code}: ${error.message}` : 'other'),
  );

describe('AccountSemaphore', () => {
  it('gives an account its share and no more, while another account still gets a place', () => {
    const places = semaphore();
    expect(places.tryAcquire('a')).toBeDefined();
    expect(places.tryAcquire('a')).toBeDefined();
    expect(places.tryAcquire('a')).toBeUndefined();
    expect(places.tryAcquire('b')).toBeDefined();
    expect(places.state).toEqual({ held: 3, waiting: 0 });
  });

  it('gives no more places than the process has', () => {
    const places = semaphore({ total: 3 });
    for (const account of ['a', 'a', 'b']) expect(places.tryAcquire(account)).toBeDefined();
    expect(places.tryAcquire('c')).toBeUndefined();
  });

  it('gives an account less while other accounts are active, and all of its share afterwards', async () => {
    let nowMs = 0;
    const activity = new AccountActivity(() => nowMs);
    const bounds = { total: 4, perAccount: 3, perActiveAccount: 1, maxWaiting: 4 };
    const places = new AccountSemaphore({ ...bounds, maxWaitingPerAccount: 4 }, MESSAGES, {
      activity,
    });
    activity.recordCall('a');
    activity.recordCall('b');
    const release = places.tryAcquire('a');
    expect(places.tryAcquire('a')).toBeUndefined();
    const waiting = [1, 2, 3].map(() => places.acquire('a', PATIENCE_MS));
    nowMs = 20_000;
    release?.();
    await Promise.all(waiting);
    expect(places.state).toEqual({ held: 3, waiting: 0 });
    expect(places.tryAcquire('a')).toBeUndefined();
  });

  describe('with a cooldown', () => {
    const bounds = { total: 1, perAccount: 1, maxWaiting: 4, maxWaitingPerAccount: 4 };
    const cooldown = { thresholdMs: 50, maxMs: 1_000, appliesToLastPermit: true };
    const startWith = (...accounts: readonly string[]): AccountSemaphore => {
      const activity = new AccountActivity();
      for (const account of accounts) activity.recordCall(account);
      return new AccountSemaphore({ ...bounds, cooldown }, MESSAGES, { activity });
    };

    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    it.each([
      [200, 150],
      [5_000, 1_000],
    ])('after %i ms makes the account wait for %i ms', async (heldMs, waitMs) => {
      const places = startWith('a', 'b');
      const release = places.tryAcquire('a');
      jest.advanceTimersByTime(heldMs);
      release?.();
      const waiting = jest.fn();
      const acquired = places.acquireWhenFree('a').then(waiting);
      await jest.advanceTimersByTimeAsync(waitMs - 1);
      expect(waiting).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(1);
      await acquired;
      expect(waiting).toHaveBeenCalled();
    });

    it('counts only the time that the release names', () => {
      const places = startWith('a', 'b');
      const release = places.tryAcquire('a');
      jest.advanceTimersByTime(5_000);
      release?.(50);
      expect(places.tryAcquire('a')).toBeDefined();
    });

    it('never makes an account wait that takes one place at a time, unless it applies to it', () => {
      const activity = new AccountActivity();
      for (const account of ['a', 'b']) activity.recordCall(account);
      const lenient = { ...cooldown, appliesToLastPermit: false };
      const places = new AccountSemaphore({ ...bounds, cooldown: lenient }, MESSAGES, { activity });
      for (const heldMs of [900, 100, 5_000, 60]) {
        const release = places.tryAcquire('a');
        expect(release).toBeDefined();
        jest.advanceTimersByTime(heldMs);
        release?.();
      }
    });

    it('gives the place to another account at once', () => {
      const places = startWith('a', 'b');
      const release = places.tryAcquire('a');
      jest.advanceTimersByTime(200);
      release?.();
      expect(places.tryAcquire('a')).toBeUndefined();
      expect(places.tryAcquire('b')).toBeDefined();
    });

    it('has no effect on a place that was held for a short time, or if no other account is active', () => {
      for (const [places, heldMs] of [
        [startWith('a', 'b'), 50],
        [startWith('a'), 200],
      ] as const) {
        const release = places.tryAcquire('a');
        jest.advanceTimersByTime(heldMs);
        release?.();
        expect(places.tryAcquire('a')).toBeDefined();
      }
    });
  });

  it('releases a place once, however often the release is called', () => {
    const places = semaphore();
    const release = places.tryAcquire('a');
    release?.();
    release?.();
    expect(places.state.held).toBe(0);
  });

  it('rejects with unavailable if no place is released while a caller waits', async () => {
    const stuck = 'The database does not respond.';
    const bounds = { total: 4, perAccount: 2, maxWaiting: 10, maxWaitingPerAccount: 5 };
    const places = new AccountSemaphore(bounds, { ...MESSAGES, stuck });
    places.tryAcquire('a');
    places.tryAcquire('a');
    const other = places.tryAcquire('b');
    expect(await code(places.acquire('a', 20))).toBe(`unavailable: ${stuck}`);
    const waiting = code(places.acquire('a', 20));
    await new Promise((resolve) => setImmediate(resolve));
    other?.();
    expect(await waiting).toBe(`rate_limited: ${MESSAGES.accountFull}`);
  });

  it('rejects with rate_limited after a wait without a release, if places may be held for long', async () => {
    const bounds = { total: 2, perAccount: 1, maxWaiting: 1, maxWaitingPerAccount: 1 };
    const messages = { ...MESSAGES, stuck: 'The database does not respond.' };
    let isStuck = false;
    const sources = { mayHoldLong: true, isStuck: () => isStuck };
    const places = new AccountSemaphore(bounds, messages, sources);
    places.tryAcquire('a');
    expect(await code(places.acquire('a', 20))).toBe(`rate_limited: ${MESSAGES.accountFull}`);
    isStuck = true;
    expect(await code(places.acquire('a', 20))).toBe(`unavailable: ${messages.stuck}`);
  });

  it('rejects with unavailable if the resource does not respond, even if places are released', async () => {
    const stuck = 'The database does not respond.';
    const bounds = { total: 4, perAccount: 1, maxWaiting: 10, maxWaitingPerAccount: 1 };
    let isStuck = true;
    const places = new AccountSemaphore(bounds, { ...MESSAGES, stuck }, { isStuck: () => isStuck });
    places.tryAcquire('a');
    const other = places.tryAcquire('b');
    const waiting = code(places.acquire('a', 20));
    expect(await code(places.acquire('a', 20))).toBe(`unavailable: ${stuck}`);
    await new Promise((resolve) => setImmediate(resolve));
    other?.();
    expect(await waiting).toBe(`unavailable: ${stuck}`);
    isStuck = false;
    const later = code(places.acquire('a', 20));
    expect(await code(places.acquire('a', 20))).toBe(`rate_limited: ${MESSAGES.accountFull}`);
    places.tryAcquire('b')?.();
    await later;
  });

  it('gives a released place to waiting accounts in turn', async () => {
    const places = semaphore({ total: 2 });
    const first = places.tryAcquire('a');
    const second = places.tryAcquire('a');
    const order: string[] = [];
    const wait = async (name: string, account: string): Promise<void> => {
      const release = await places.acquire(account, PATIENCE_MS);
      order.push(name);
      release();
    };
    const waits = [wait('a1', 'a'), wait('a2', 'a'), wait('a3', 'a'), wait('b1', 'b')];
    expect(places.state.waiting).toBe(4);
    first?.();
    await Promise.all(waits);
    expect(order).toEqual(['a1', 'b1', 'a2', 'a3']);
    second?.();
    expect(places.state).toEqual({ held: 0, waiting: 0 });
  });

  it('passes over a waiting account whose share is used and serves the next one', async () => {
    const places = semaphore({ total: 3, perAccount: 2 });
    const first = places.tryAcquire('a');
    places.tryAcquire('a');
    const other = places.tryAcquire('b');
    const blocked = places.acquire('a', PATIENCE_MS);
    const served = places.acquire('c', PATIENCE_MS);
    other?.();
    const release = await served;
    expect(places.state).toEqual({ held: 3, waiting: 1 });
    release();
    expect(places.state.waiting).toBe(1);
    first?.();
    (await blocked)();
  });

  it('rejects with rate_limited if the account is full, and with unavailable if the process is', async () => {
    const places = semaphore({ total: 3, maxWaiting: 0 });
    places.tryAcquire('a');
    places.tryAcquire('a');
    expect(await code(places.acquire('a', 1))).toBe('rate_limited: This account is full.');
    places.tryAcquire('b');
    expect(await code(places.acquire('c', 1))).toBe('unavailable: The server is full.');
  });

  it('rejects a caller at once if the queue of its account is full', async () => {
    const places = semaphore({ total: 1, perAccount: 1, maxWaitingPerAccount: 1 });
    const release = places.tryAcquire('b');
    const waiting = places.acquire('a', PATIENCE_MS);
    expect(await code(places.acquire('a', PATIENCE_MS))).toMatch(/^rate_limited/);
    release?.();
    (await waiting)();
  });

  it('rejects a caller after its timeout and removes it from the queue', async () => {
    const places = semaphore({ total: 1, perAccount: 1 });
    const release = places.tryAcquire('a');
    expect(await code(places.acquire('a', 1))).toMatch(/^rate_limited/);
    expect(places.state).toEqual({ held: 1, waiting: 0 });
    release?.();
    expect(places.tryAcquire('b')).toBeDefined();
  });

  it.each([
    [1, 1],
    [2, 1],
    [4, 2],
    [5, 2],
    [200, 100],
  ])('computes the share of an account of %d places: %d', (total, share) => {
    expect(accountShare(total)).toBe(share);
  });
});
