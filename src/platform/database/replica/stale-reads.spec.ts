import { accountShareUsed } from '../../../common/error/app-error';
import { BudgetExceededError } from '../budgeted-queries';
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

describe('a read that may be stale', () => {
  it('is answered by the replica where that is known to be fresh enough, and says how old it is', async () => {
    await freshness.ask();
    const { result, ageMs } = await reads.allow(HOUR_MS, () => where());
    expect(result).toBe('replica');
    expect(ageMs).toBeGreaterThanOrEqual(0);
    expect(ageMs).toBeLessThan(HOUR_MS);
    // Reads outside `allow` use the primary.
    expect(await where()).toBe('primary');
  });

  it.each([
    ['nothing is known of the replica, whatever is allowed', Infinity, false],
    ['it is older than is allowed', 0, true],
  ])('is answered by the primary where %s', async (_, maxAgeMs, isKnown) => {
    if (isKnown) await freshness.ask();
    const read = await reads.allow(maxAgeMs, () => where());
    expect(read).toEqual({ result: 'primary', ageMs: null });
  });

  it('has no age where nothing was read', async () => {
    await freshness.ask();
    expect(await reads.allow(HOUR_MS, () => Promise.resolve('nothing'))).toEqual({
      result: 'nothing',
      ageMs: null,
    });
  });

  it('gives a replica that fails up, for the rest of the work and for all until it is heard of', async () => {
    await freshness.ask();
    const asked = jest.fn(() => Promise.reject<string>(new Error('gone')));
    const { result, ageMs } = await reads.allow(HOUR_MS, async () => [
      await where(asked),
      await where(asked),
    ]);
    expect([result, ageMs]).toEqual([['primary', 'primary'], null]);
    expect(asked).toHaveBeenCalledTimes(1);
    expect((await reads.allow(Infinity, () => where())).result).toBe('primary');
    await freshness.ask();
    expect((await reads.allow(HOUR_MS, () => where())).result).toBe('replica');
  });

  it('that is too expensive for the replica is so for the primary, which is not asked', async () => {
    await freshness.ask();
    const dear = (): Promise<string> => Promise.reject(new BudgetExceededError('dear'));
    await expect(reads.allow(HOUR_MS, () => where(dear))).rejects.toThrow(BudgetExceededError);
  });

  it('rejects an account that has used its share of the replica, without asking the primary', async () => {
    await freshness.ask();
    const full = (): Promise<string> => Promise.reject(accountShareUsed('full'));
    await expect(reads.allow(HOUR_MS, () => where(full))).rejects.toThrow('full');
    expect((await reads.allow(HOUR_MS, () => where())).result).toBe('replica');
  });
});
