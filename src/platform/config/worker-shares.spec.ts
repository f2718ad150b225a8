import { type AppConfig, configOfWorker, ConfigError, readConfig } from './app-config';
import { maxDatabaseConnections } from './worker-shares';

const COUNTS = [1, 2, 3, 4, 8, 16] as const;

/** Limits that an account may use half of, with the smallest part that leaves room for others. */
const RUNS = {
  maxConcurrentSyncs: 2,
  maxConcurrentScheduledImports: 2,
  maxConcurrentDeliveries: 8,
} as const;

const workersOf = (settings: Record<string, string>): AppConfig[] => {
  const config = readConfig(settings);
  const count = config.workers;
  return Array.from({ length: count }, (_, index) =>
    configOfWorker(config, { number: index + 1, count }),
  );
};

const sumOf = (parts: readonly number[]): number => parts.reduce((sum, part) => sum + part, 0);

const problem = (settings: Record<string, string>): string => {
  try {
    readConfig(settings);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  return '';
};

describe('the limits of workers', () => {
  it('are those of the instance if there is one', () => {
    const config = readConfig({ METRICS_PORT: '1' });
    expect(configOfWorker(config, { number: 1, count: 1 })).toEqual(config);
  });

  it.each(COUNTS)('are at most those of the instance together, with %d of them', (count) => {
    const whole = readConfig({ WORKERS: String(count) });
    const workers = workersOf({ WORKERS: String(count) });
    for (const name of [
      'databasePoolSize',
      'databaseMaxWaiting',
      'maxConcurrentRequests',
      'maxLiveReaders',
      'maxConnections',
      'maxBufferedBytes',
      'maxConcurrentDeliveries',
      'maxDeliveriesPerSecond',
      'maxConcurrentSyncs',
      'maxConcurrentScheduledImports',
    ] as const) {
      const parts = workers.map((worker) => worker[name]);
      if (name === 'maxDeliveriesPerSecond') {
        const senders = workers.filter(
          ({ maxConcurrentDeliveries }) => maxConcurrentDeliveries > 0,
        );
        expect(sumOf(senders.map((worker) => worker[name]))).toBeCloseTo(whole[name]);
      } else {
        expect(sumOf(parts)).toBeLessThanOrEqual(whole[name]);
        expect(sumOf(parts)).toBeGreaterThan(whole[name] - count);
      }
    }
  });

  it.each(COUNTS)('leave room for other accounts in background runs, with %d of them', (count) => {
    const whole = readConfig({ WORKERS: String(count) });
    for (const [name, min] of Object.entries(RUNS) as [keyof typeof RUNS, number][]) {
      const parts = workersOf({ WORKERS: String(count) }).map((worker) => worker[name]);
      expect(sumOf(parts)).toBe(whole[name]);
      expect(parts.filter((part) => part > 0 && part < min)).toEqual([]);
    }
  });

  it('give a single background run to one worker', () => {
    const workers = workersOf({ WORKERS: '3', MAX_CONCURRENT_SYNCS: '1' });
    expect(workers.map(({ maxConcurrentSyncs }) => maxConcurrentSyncs)).toEqual([1, 0, 0]);
  });

  it('leave limits that the supervisor counts as they are', () => {
    for (const worker of workersOf({ WORKERS: '4' })) {
      expect(worker).toMatchObject({
        rateLimitRequests: 600,
        maxConcurrentImports: 4,
        maxConcurrentExports: 2,
        maxSpoolBytes: 2_147_483_648,
        workers: 4,
      });
    }
  });

  it('let one worker read what is the same for all', () => {
    const reading = (settings: Record<string, string>): boolean[] =>
      workersOf({ WORKERS: '3', ...settings }).map(({ readsTotals }) => readsTotals);
    expect(reading({ METRICS_PORT: '9464' })).toEqual([true, false, false]);
    expect(reading({})).toEqual([false, false, false]);
  });

  it('are rejected if a worker would have too few', () => {
    expect(problem({ WORKERS: '4', DATABASE_POOL_SIZE: '15' })).toBe(
      'Wrong setting: DATABASE_POOL_SIZE must be at least 16 with WORKERS=4: each worker needs 4 (it is "15")',
    );
    expect(problem({ WORKERS: '4', DATABASE_POOL_SIZE: '16' })).toBe('');
    const both = problem({ WORKERS: '2', MAX_CONCURRENT_REQUESTS: '7', MAX_CONNECTIONS: '31' });
    expect(both).toContain('MAX_CONCURRENT_REQUESTS must be at least 8 with WORKERS=2');
    expect(both).toContain('MAX_CONNECTIONS must be at least 32 with WORKERS=2');
    expect(problem({ DATABASE_POOL_SIZE: '1', MAX_CONNECTIONS: '1' })).toBe('');
  });
});

describe('DATABASE_POOL_SIZE', () => {
  it.each([
    [1, 10],
    [2, 14],
    [3, 21],
    [8, 56],
  ])('is by default, with %d workers, %d', (workers, size) => {
    expect(readConfig({ WORKERS: String(workers) }).databasePoolSize).toBe(size);
  });
});

describe('the connections of an instance', () => {
  it('are those that docs/operations.md computes', () => {
    expect(maxDatabaseConnections(readConfig({}), false)).toBe(45);
    expect(maxDatabaseConnections(readConfig({ WORKERS: '4' }), false)).toBe(90);
    expect(maxDatabaseConnections(readConfig({ WORKERS: '4' }), true)).toBe(34);
  });
});
