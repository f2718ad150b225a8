import { connectedWorkers, type ConnectedWorker } from '../../../test/support/connected-workers';
import { COUNT, InstanceCounts } from './instance-counts';
import type { RateCounter } from './rate-counter';
import { RateCounters } from './rate-counters';
import { SharedRateCounter } from './shared-rate-counter';
import type { NewHits, SharedCount, SharedCounts } from './shared-counts';
import { CountSender, WorkerCounts } from './worker-counts';

const WINDOW_SECONDS = 60;

/** Connects workers to a supervisor, which counts for them. */
function workersOf(count: number): ConnectedWorker[] {
  const counts = new InstanceCounts();
  const workers = connectedWorkers(count);
  for (const { channel } of workers) {
    channel.handle(COUNT, (requests) => counts.count(requests));
  }
  return workers;
}

/** Returns the counter of one limit at each worker. */
function countersOf(workers: readonly ConnectedWorker[], limit: number): RateCounter[] {
  return workers.map(({ supervisor }) =>
    new RateCounters(null, supervisor, workers.length).create('key', limit, WINDOW_SECONDS),
  );
}

async function countAllowed(hits: readonly ReturnType<RateCounter['hit']>[]): Promise<number> {
  const counts = await Promise.all(hits.map(async (hit) => hit));
  return counts.filter(({ allowed }) => allowed).length;
}

describe('a limit of several workers', () => {
  // On a busy machine, a real clock would end the wait for the supervisor, and each worker would count alone.
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'clearImmediate', 'nextTick'] });
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is exact if it is small, for hits at all workers at once', async () => {
    const counters = countersOf(workersOf(4), 15);
    const hits = Array.from({ length: 60 }, (_, n) => counters[n % 4]?.hit('k') ?? fail());
    expect(await countAllowed(hits)).toBe(15);
  });

  it.each([2, 8])(
    'is exceeded by a twentieth at most, as that of one process, with %d',
    async (count) => {
      const counters = countersOf(workersOf(count), 600);
      const [one, ...others] = counters;
      // All others know the count from before.
      for (const counter of others) await counter.hit('k');
      let allowed = others.length;
      while ((await one?.hit('k'))?.allowed === true) allowed += 1;
      const hits = others.flatMap((counter) => Array.from({ length: 100 }, () => counter.hit('k')));
      allowed += await countAllowed(hits);
      expect(allowed).toBeGreaterThanOrEqual(600);
      expect(allowed).toBeLessThanOrEqual(630);
    },
  );

  it('counts names and limits apart, and takes hits back', async () => {
    const workers = workersOf(2);
    const [one, other] = countersOf(workers, 2);
    const [elsewhere] = workers.map(({ supervisor }) =>
      new RateCounters(null, supervisor, 2).create('account', 2, WINDOW_SECONDS),
    );
    expect((await one?.hit('a'))?.remaining).toBe(1);
    expect((await other?.hit('a'))?.remaining).toBe(0);
    expect((await other?.hit('b'))?.remaining).toBe(1);
    expect((await elsewhere?.hit('a'))?.remaining).toBe(1);
    expect((await one?.hit('a'))?.allowed).toBe(false);
    one?.forgive('a');
    one?.forgive('a');
    // Hits that are taken back are reported a little later, and a worker asks again after a second.
    jest.advanceTimersByTime(1_000);
    await new Promise((resolve) => setImmediate(resolve));
    jest.advanceTimersByTime(1_000);
    expect((await other?.reserve('a'))?.allowed).toBe(true);
  });

  it('has one window for all workers', async () => {
    const [one, other] = countersOf(workersOf(2), 5);
    const first = await one?.hit('k');
    const second = await other?.hit('k');
    expect(second?.resetSeconds).toBeLessThanOrEqual(first?.resetSeconds ?? 0);
    expect(second?.remaining).toBe(3);
  });

  it('is counted by each worker alone if the supervisor has ended, without waiting', async () => {
    const workers = workersOf(1);
    const [counter] = countersOf(workers, 3);
    await counter?.hit('k');
    workers[0]?.lose();
    await new Promise(setImmediate);
    const verdicts = Array.from({ length: 3 }, () => counter?.hit('k'));
    expect(verdicts).toMatchObject([{ allowed: true }, { allowed: true }, { allowed: false }]);
  });
});

/** Redis in this process. */
class FakeRedis implements SharedCounts {
  isThere = true;
  isLate = false;
  readonly counts = new Map<string, number>();

  add({ name, net }: NewHits): Promise<SharedCount> {
    const count = (this.counts.get(name) ?? 0) + net;
    this.counts.set(name, count);
    return Promise.resolve({ count, endsInMs: 60_000 });
  }
}

describe('a limit of several workers with Redis', () => {
  const LIMIT = { policy: 'key', limit: 10, windowSeconds: WINDOW_SECONDS };

  const countersWith = (redis: SharedCounts, count: number): RateCounter[] =>
    workersOf(count).map(({ supervisor }) => {
      const counts = new WorkerCounts(redis, new CountSender(supervisor), LIMIT);
      return new SharedRateCounter(counts, LIMIT, count);
    });

  it('is counted in Redis', async () => {
    const redis = new FakeRedis();
    const [one, other] = countersWith(redis, 2);
    await one?.hit('k');
    await other?.hit('k');
    expect(redis.counts.get('k')).toBe(2);
  });

  it.each(['isThere', 'isLate'] as const)(
    'applies to all workers together while Redis is away (%s), from its last count on',
    async (property) => {
      const redis = new FakeRedis();
      const [one, other] = countersWith(redis, 2);
      for (let n = 0; n < 4; n += 1) await one?.hit('k');
      await other?.hit('k');
      redis[property] = property === 'isLate';
      const hits = Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? one : other)?.hit('k'));
      expect(await countAllowed(hits.map((hit) => hit ?? fail()))).toBe(5);
      expect(redis.counts.get('k')).toBe(5);
    },
  );

  it('counts the hits of an outage in Redis afterwards', async () => {
    const redis = new FakeRedis();
    const [one, other] = countersWith(redis, 2);
    redis.isThere = false;
    for (let n = 0; n < 3; n += 1) await one?.hit('k');
    await other?.hit('k');
    redis.isThere = true;
    await one?.hit('k');
    expect(redis.counts.get('k')).toBe(4);
    expect((await other?.hit('k'))?.remaining).toBe(4);
    expect(redis.counts.get('k')).toBe(6);
  });
});

function fail(): never {
  throw new Error('There is no such worker.');
}
