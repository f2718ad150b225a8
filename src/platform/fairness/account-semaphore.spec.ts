import { AppError } from '../../common/error/app-error';
import { AccountActivity } from './account-activity';
import { accountShare, AccountSemaphore, type SemaphoreBounds } from './account-semaphore';

const MESSAGES = { full: 'The server is full.', accountFull: 'This account is full.' };
const PATIENCE_MS = 10_000;
const QUEUE = { maxWaiting: 4, maxWaitingPerAccount: 4, maxWaitMs: PATIENCE_MS };

const semaphore = (bounds: Partial<SemaphoreBounds> = {}): AccountSemaphore =>
  new AccountSemaphore(
    {
      total: 4,
      perAccount: 2,
      maxWaiting: 10,
      maxWaitingPerAccount: 5,
      maxWaitMs: PATIENCE_MS,
      ...bounds,
    },
    MESSAGES,
  );

const code = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'acquired',
    (error: unknown) => (error instanceof AppError ? `${error.code}: ${error.message}` : 'other'),
  );

describe('AccountSemaphore', () => {
  it('gives an account its share and no more, while another account still gets a permit', () => {
    const permits = semaphore();
    expect(permits.tryAcquire('a')).toBeDefined();
    expect(permits.tryAcquire('a')).toBeDefined();
    expect(permits.tryAcquire('a')).toBeUndefined();
    expect(permits.tryAcquire('b')).toBeDefined();
    expect(permits.state).toEqual({ held: 3, waiting: 0 });
  });

  it('gives no more permits than the process has', () => {
    const permits = semaphore({ total: 3 });
    for (const account of ['a', 'a', 'b']) expect(permits.tryAcquire(account)).toBeDefined();
    expect(permits.tryAcquire('c')).toBeUndefined();
  });

  it('gives an account less while other accounts are active, and all of its share afterwards', async () => {
    let nowMs = 0;
    const activity = new AccountActivity(() => nowMs);
    const bounds = { total: 4, perAccount: 3, perActiveAccount: 1 };
    const permits = new AccountSemaphore({ ...bounds, ...QUEUE }, MESSAGES, {
      activity,
    });
    activity.recordCall('a');
    activity.recordCall('b');
    const release = permits.tryAcquire('a');
    expect(permits.tryAcquire('a')).toBeUndefined();
    const waiting = [1, 2, 3].map(() => permits.acquire('a'));
    nowMs = 20_000;
    release?.();
    await Promise.all(waiting);
    expect(permits.state).toEqual({ held: 3, waiting: 0 });
    expect(permits.tryAcquire('a')).toBeUndefined();
  });

  describe('with a cooldown', () => {
    const bounds = { total: 1, perAccount: 1, ...QUEUE };
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
      const permits = startWith('a', 'b');
      const release = permits.tryAcquire('a');
      jest.advanceTimersByTime(heldMs);
      release?.();
      const waiting = jest.fn();
      const acquired = permits.acquireWhenFree('a').then(waiting);
      await jest.advanceTimersByTimeAsync(waitMs - 1);
      expect(waiting).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(1);
      await acquired;
      expect(waiting).toHaveBeenCalled();
    });

    it('counts only the time that the release names', () => {
      const permits = startWith('a', 'b');
      const release = permits.tryAcquire('a');
      jest.advanceTimersByTime(5_000);
      release?.(50);
      expect(permits.tryAcquire('a')).toBeDefined();
    });

    it('never makes an account wait that takes one permit at a time, unless it applies to it', () => {
      const activity = new AccountActivity();
      for (const account of ['a', 'b']) activity.recordCall(account);
      const lenient = { ...cooldown, appliesToLastPermit: false };
      const permits = new AccountSemaphore({ ...bounds, cooldown: lenient }, MESSAGES, {
        activity,
      });
      for (const heldMs of [900, 100, 5_000, 60]) {
        const release = permits.tryAcquire('a');
        expect(release).toBeDefined();
        jest.advanceTimersByTime(heldMs);
        release?.();
      }
    });

    it('gives the permit to another account at once', () => {
      const permits = startWith('a', 'b');
      const release = permits.tryAcquire('a');
      jest.advanceTimersByTime(200);
      release?.();
      expect(permits.tryAcquire('a')).toBeUndefined();
      expect(permits.tryAcquire('b')).toBeDefined();
    });

    it('has no effect on a permit that was held for a short time, or if no other account is active', () => {
      for (const [permits, heldMs] of [
        [startWith('a', 'b'), 50],
        [startWith('a'), 200],
      ] as const) {
        const release = permits.tryAcquire('a');
        jest.advanceTimersByTime(heldMs);
        release?.();
        expect(permits.tryAcquire('a')).toBeDefined();
      }
    });
  });

  it('releases a permit once, however often the release is called', () => {
    const permits = semaphore();
    const release = permits.tryAcquire('a');
    release?.();
    release?.();
    expect(permits.state.held).toBe(0);
  });

  it('rejects with unavailable if no permit is released while a caller waits', async () => {
    const stuck = 'The database does not respond.';
    const bounds = {
      total: 4,
      perAccount: 2,
      maxWaiting: 10,
      maxWaitingPerAccount: 5,
      maxWaitMs: 20,
    };
    const permits = new AccountSemaphore(bounds, { ...MESSAGES, stuck });
    permits.tryAcquire('a');
    permits.tryAcquire('a');
    const other = permits.tryAcquire('b');
    expect(await code(permits.acquire('a'))).toBe(`unavailable: ${stuck}`);
    const waiting = code(permits.acquire('a'));
    await new Promise((resolve) => setImmediate(resolve));
    other?.();
    expect(await waiting).toBe(`rate_limited: ${MESSAGES.accountFull}`);
  });

  it('rejects with rate_limited after a wait without a release, if permits may be held for long', async () => {
    const bounds = {
      total: 2,
      perAccount: 1,
      maxWaiting: 1,
      maxWaitingPerAccount: 1,
      maxWaitMs: 20,
    };
    const messages = { ...MESSAGES, stuck: 'The database does not respond.' };
    let isStuck = false;
    const context = { allowsLongHolds: true, isStuck: () => isStuck };
    const permits = new AccountSemaphore(bounds, messages, context);
    permits.tryAcquire('a');
    expect(await code(permits.acquire('a'))).toBe(`rate_limited: ${MESSAGES.accountFull}`);
    isStuck = true;
    expect(await code(permits.acquire('a'))).toBe(`unavailable: ${messages.stuck}`);
  });

  it('rejects with unavailable if the resource does not respond, even if permits are released', async () => {
    const stuck = 'The database does not respond.';
    const bounds = {
      total: 4,
      perAccount: 1,
      maxWaiting: 10,
      maxWaitingPerAccount: 1,
      maxWaitMs: 20,
    };
    let isStuck = true;
    const permits = new AccountSemaphore(
      bounds,
      { ...MESSAGES, stuck },
      { isStuck: () => isStuck },
    );
    permits.tryAcquire('a');
    const other = permits.tryAcquire('b');
    const waiting = code(permits.acquire('a'));
    expect(await code(permits.acquire('a'))).toBe(`unavailable: ${stuck}`);
    await new Promise((resolve) => setImmediate(resolve));
    other?.();
    expect(await waiting).toBe(`unavailable: ${stuck}`);
    isStuck = false;
    const later = code(permits.acquire('a'));
    expect(await code(permits.acquire('a'))).toBe(`rate_limited: ${MESSAGES.accountFull}`);
    permits.tryAcquire('b')?.();
    await later;
  });

  it('gives a released permit to waiting accounts in turn', async () => {
    const permits = semaphore({ total: 2 });
    const first = permits.tryAcquire('a');
    const second = permits.tryAcquire('a');
    const order: string[] = [];
    const wait = async (name: string, account: string): Promise<void> => {
      const release = await permits.acquire(account);
      order.push(name);
      release();
    };
    const waits = [wait('a1', 'a'), wait('a2', 'a'), wait('a3', 'a'), wait('b1', 'b')];
    expect(permits.state.waiting).toBe(4);
    first?.();
    await Promise.all(waits);
    expect(order).toEqual(['a1', 'b1', 'a2', 'a3']);
    second?.();
    expect(permits.state).toEqual({ held: 0, waiting: 0 });
  });

  it('passes over a waiting account whose share is used and serves the next one', async () => {
    const permits = semaphore({ total: 3, perAccount: 2 });
    const first = permits.tryAcquire('a');
    permits.tryAcquire('a');
    const other = permits.tryAcquire('b');
    const blocked = permits.acquire('a');
    const served = permits.acquire('c');
    other?.();
    const release = await served;
    expect(permits.state).toEqual({ held: 3, waiting: 1 });
    release();
    expect(permits.state.waiting).toBe(1);
    first?.();
    (await blocked)();
  });

  it('rejects with rate_limited if the account is full, and with unavailable if the process is', async () => {
    const permits = semaphore({ total: 3, maxWaiting: 0 });
    permits.tryAcquire('a');
    permits.tryAcquire('a');
    expect(await code(permits.acquire('a'))).toBe('rate_limited: This account is full.');
    permits.tryAcquire('b');
    expect(await code(permits.acquire('c'))).toBe('unavailable: The server is full.');
  });

  it('rejects a caller at once if the queue of its account is full', async () => {
    const permits = semaphore({ total: 1, perAccount: 1, maxWaitingPerAccount: 1 });
    const release = permits.tryAcquire('b');
    const waiting = permits.acquire('a');
    expect(await code(permits.acquire('a'))).toMatch(/^rate_limited/);
    release?.();
    (await waiting)();
  });

  it('rejects a caller after its timeout and removes it from the queue', async () => {
    const permits = semaphore({ total: 1, perAccount: 1, maxWaitMs: 1 });
    const release = permits.tryAcquire('a');
    expect(await code(permits.acquire('a'))).toMatch(/^rate_limited/);
    expect(permits.state).toEqual({ held: 1, waiting: 0 });
    release?.();
    expect(permits.tryAcquire('b')).toBeDefined();
  });

  it.each([
    [1, 1],
    [2, 1],
    [4, 2],
    [5, 2],
    [200, 100],
  ])('computes the share of an account of %d permits: %d', (total, share) => {
    expect(accountShare(total)).toBe(share);
  });
});
