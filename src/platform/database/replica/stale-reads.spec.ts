import { accountShareUsed } from '../../../common/error/app-error';
import { QueryTimeoutError } from '../query-pool';
import { ReplicaFreshness } from './replica-freshness';
import { StaleReads } from './stale-reads';

const HOUR_MS = 3_600_000;

let freshness: ReplicaFreshness;
let reads: StaleReads;

beforeEach(() => {
  const position = { system: 'one', position: '100' };
  freshness = new ReplicaFreshness(
    () => Promise.resolve(position),
    () => Promise.resolve(position),
  );
  reads = new StaleReads(freshness);
});

afterEach(() => {
  freshness.stop();
});

/** Name of the server that serves one read. */
const where = (onReplica = (): Promise<string> => Promise.resolve('replica')): Promise<string> =>
  reads.read(onReplica, () => Promise.resolve('primary'));

describe('StaleReads', () => {
  it('reads from a replica that is fresh enough, and returns its age', async () => {
    await freshness.poll();
    const { result, ageMs } = await reads.allow(HOUR_MS, () => where());
    expect(result).toBe('replica');
    expect(ageMs).toBeGreaterThanOrEqual(0);
    expect(ageMs).toBeLessThan(HOUR_MS);
    // Reads outside `allow` use the primary.
    expect(await where()).toBe('primary');
  });

  it.each([
    ['the age of the replica is unknown, whatever age is allowed', Infinity, false],
    ['the replica is older than allowed', 0, true],
  ])('reads from the primary if %s', async (_, maxAgeMs, isKnown) => {
    if (isKnown) await freshness.poll();
    const read = await reads.allow(maxAgeMs, () => where());
    expect(read).toEqual({ result: 'primary', ageMs: null });
  });

  it('returns no age if nothing was read', async () => {
    await freshness.poll();
    expect(await reads.allow(HOUR_MS, () => Promise.resolve('nothing'))).toEqual({
      result: 'nothing',
      ageMs: null,
    });
  });

  it('avoids a failed replica until its next report', async () => {
    await freshness.poll();
    const asked = jest.fn(() => Promise.reject<string>(new Error('gone')));
    const { result, ageMs } = await reads.allow(HOUR_MS, async () => [
      await where(asked),
      await where(asked),
    ]);
    expect([result, ageMs]).toEqual([['primary', 'primary'], null]);
    expect(asked).toHaveBeenCalledTimes(1);
    expect((await reads.allow(Infinity, () => where())).result).toBe('primary');
    await freshness.poll();
    expect((await reads.allow(HOUR_MS, () => where())).result).toBe('replica');
  });

  it('rejects a query that is too expensive for the replica, without a try on the primary', async () => {
    await freshness.poll();
    const expensive = (): Promise<string> => Promise.reject(new QueryTimeoutError('expensive'));
    await expect(reads.allow(HOUR_MS, () => where(expensive))).rejects.toThrow(QueryTimeoutError);
  });

  it('rejects an account that has used its share of the replica, without a try on the primary', async () => {
    await freshness.poll();
    const full = (): Promise<string> => Promise.reject(accountShareUsed('full'));
    await expect(reads.allow(HOUR_MS, () => where(full))).rejects.toThrow('full');
    expect((await reads.allow(HOUR_MS, () => where())).result).toBe('replica');
  });
});
