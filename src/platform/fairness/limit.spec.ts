import { readConfig } from '../config/app-config';
import { type Limit, semaphoreOf } from './limit';
import { LIMITS } from './limits';

const limit = <T extends Partial<Limit>>(declared: T): T & Pick<Limit, 'resource' | 'tests'> => ({
  resource: 'cups',
  tests: [],
  ...declared,
});

describe('semaphoreOf', () => {
  it('gives an account half of the permits and of the queue, unless the limit says otherwise', () => {
    const waiting = { total: 9, max: 5_000 };
    expect(semaphoreOf(limit({ total: 5, waiting }), {}).bounds).toEqual({
      total: 5,
      perAccount: 2,
      maxWaiting: 9,
      maxWaitingPerAccount: 4,
      maxWaitMs: 5_000,
    });
  });

  it('lets nobody wait if the limit has no queue', async () => {
    const permits = semaphoreOf(limit({ total: 1 }), {});
    permits.tryAcquire('a');
    await expect(permits.acquire('b')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(permits.acquire('a')).rejects.toMatchObject({ code: 'rate_limited' });
  });

  it.each([
    [1, 1],
    [7, 3],
    [20, 10],
  ])('takes half of a setting of %i as %i, at least one', (databasePoolSize, total) => {
    const half = { setting: 'databasePoolSize', times: 1 / 2 } as const;
    expect(semaphoreOf(limit({ total: half }), { databasePoolSize }).bounds.total).toBe(total);
  });

  it.each([
    [1, 1, 1],
    [3, 3, 2],
    [4, 3, 2],
    [10, 9, 8],
  ])(
    'of %i leaves %i without a reserved one, of which an account gets %i',
    (value, total, part) => {
      const reserving = { setting: 'databasePoolSize', reservesOne: true } as const;
      const declared = limit({ total: reserving, perAccount: { part: 4 / 5 } });
      const { bounds } = semaphoreOf(declared, { databasePoolSize: value });
      expect([bounds.total, bounds.perAccount]).toEqual([total, part]);
    },
  );

  it('takes the unit of a wait from the name of its setting', () => {
    const settings = { DATABASE_ACQUIRE_TIMEOUT_MS: '1500' };
    const config = readConfig(settings, { connectionTestTimeoutSeconds: 7 });
    expect(semaphoreOf(LIMITS.columnScans, config).bounds.maxWaitMs).toBe(1_500);
    expect(semaphoreOf(LIMITS.connectionTests, config).bounds.maxWaitMs).toBe(7_000);
  });
});
