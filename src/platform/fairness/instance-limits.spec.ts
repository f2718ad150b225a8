import { connectedWorkers, type ConnectedWorker } from '../../../test/support/connected-workers';
import { AccountActivity } from './account-activity';
import { InstanceLimits, ACQUIRE, ADD_BYTES, RELEASE, REMOVE_BYTES } from './instance-limits';
import { InstancePermits } from './instance-permits';
import type { AccountPermits } from './account-semaphore';

const BOUNDS = { total: 4, perAccount: 2, maxWaiting: 0, maxWaitingPerAccount: 0 };
const WAITING = { ...BOUNDS, maxWaiting: 4, maxWaitingPerAccount: 2 };
const MESSAGES = { full: 'All are in use.', accountFull: 'This account uses its share.' };

let permits: InstancePermits;
let workers: ConnectedWorker[];

/** Starts a supervisor with two workers. */
function start(activity = new AccountActivity()): void {
  permits = new InstancePermits(activity);
  workers = connectedWorkers(2);
  for (const { id, channel } of workers) {
    channel.handle(ACQUIRE, (request) => permits.acquire(id, request));
    channel.handle(RELEASE, ({ permit }) => {
      permits.release(id, permit);
    });
    channel.handle(ADD_BYTES, (request) => permits.addBytes(id, request));
    channel.handle(REMOVE_BYTES, (request) => {
      permits.removeBytes(id, request);
    });
  }
}

const limitsOf = (index: number): InstanceLimits =>
  new InstanceLimits(workers[index]?.supervisor ?? null, new AccountActivity());

const semaphores = (bounds = BOUNDS): AccountPermits[] =>
  [0, 1].map((index) => limitsOf(index).semaphore('tests', bounds, MESSAGES));

const codeOf = (result: Promise<unknown>): Promise<string> =>
  result.then(
    () => 'acquired',
    (error: unknown) => `${(error as { code: string }).code}: ${(error as Error).message}`,
  );

describe('permits of an instance with two workers', () => {
  beforeEach(() => {
    start();
  });

  it('are limited for both together, in total and for an account', async () => {
    const [one, other] = semaphores() as [AccountPermits, AccountPermits];
    const release = await one.acquireNow('a');
    await other.acquireNow('a');
    const full = 'rate_limited: This account uses its share.';
    expect(await codeOf(one.acquireNow('a'))).toBe(full);
    expect(await codeOf(other.acquireNow('a'))).toBe(full);
    await one.acquireNow('b');
    await other.acquireNow('c');
    expect(await codeOf(other.acquireNow('b'))).toBe('unavailable: All are in use.');
    release();
    release();
    expect(await codeOf(other.acquireNow('b'))).toBe('acquired');
    expect(await codeOf(one.acquireNow('d'))).toBe('unavailable: All are in use.');
  });

  it('of different names are counted apart', async () => {
    const [one] = semaphores();
    const another = limitsOf(0).semaphore('others', BOUNDS, MESSAGES);
    for (let n = 0; n < 2; n += 1) await one?.acquireNow('a');
    expect(await codeOf(another.acquireNow('a'))).toBe('acquired');
  });

  it('are waited for until another worker releases one', async () => {
    const [one, other] = semaphores(WAITING) as [AccountPermits, AccountPermits];
    const held = [await one.acquire('a', 1_000), await one.acquire('a', 1_000)];
    let isAcquired = false;
    const waiting = other.acquire('a', 20_000).then((release) => {
      isAcquired = true;
      return release;
    });
    expect(await codeOf(other.acquire('a', 1))).toMatch(/^rate_limited/);
    expect(isAcquired).toBe(false);
    held[0]?.();
    (await waiting)();
    expect(await codeOf(other.acquire('a', 1_000))).toBe('acquired');
  });

  it('are free again after their worker has ended, also those that it waited for', async () => {
    const [one, other] = semaphores(WAITING) as [AccountPermits, AccountPermits];
    await one.acquire('a', 1_000);
    const held = await other.acquire('a', 1_000);
    void one.acquire('a', 20_000).catch(() => undefined);
    await codeOf(one.acquire('a', 1));
    permits.releaseAll(1);
    held();
    expect(await codeOf(other.acquire('a', 1_000))).toBe('acquired');
    expect(await codeOf(other.acquire('a', 1_000))).toBe('acquired');
  });

  it('are not acquired without a supervisor', async () => {
    const [one] = semaphores();
    workers[0]?.lose();
    expect(await codeOf(one?.acquireNow('a') ?? Promise.resolve())).toBe(
      'unavailable: All are in use.',
    );
  });
});

describe('permits with a smaller share while other accounts are active', () => {
  it('follow what the supervisor knows of the accounts of all workers', async () => {
    const activity = new AccountActivity();
    start(activity);
    const [one, other] = semaphores({ ...BOUNDS, perActiveAccount: 1 } as typeof BOUNDS);
    await one?.acquireNow('a');
    const release = await other?.acquireNow('a');
    release?.();
    activity.recordReported(['b']);
    expect(await codeOf(other?.acquireNow('a') ?? Promise.resolve())).toMatch(/^rate_limited/);
  });
});

describe('bytes of an instance with two workers', () => {
  beforeEach(() => {
    start();
  });

  it('are limited for both together, and free again after their worker has ended', async () => {
    const [one, other] = [0, 1].map((index) => limitsOf(index).bytes('spool', 100));
    expect(await one?.tryAdd('a', 40)).toBe(true);
    expect(await other?.tryAdd('a', 20)).toBe(false);
    expect(await other?.tryAdd('a', 10)).toBe(true);
    expect(await other?.tryAdd('b', 50)).toBe(true);
    expect(await one?.tryAdd('c', 1)).toBe(false);
    other?.remove('b', 50);
    expect(await one?.tryAdd('c', 50)).toBe(true);
    permits.releaseAll(1);
    expect(await other?.tryAdd('b', 50)).toBe(true);
    expect(await other?.tryAdd('a', 41)).toBe(false);
    expect(await other?.tryAdd('a', 40)).toBe(true);
  });
});
