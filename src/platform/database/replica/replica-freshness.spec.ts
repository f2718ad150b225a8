import { ReplicaFreshness, type LogPosition } from './replica-freshness';

let primary: LogPosition | undefined;
let replica: LogPosition | undefined;
let freshness: ReplicaFreshness;

beforeEach(() => {
  freshness = new ReplicaFreshness(
    () => Promise.resolve(primary),
    () => Promise.resolve(replica),
  );
});

afterEach(() => {
  freshness.stop();
});

const at = (position: string | null, system = 'one'): LogPosition => ({ system, position });

/**
 * Compares the two positions.
 * @returns the time before the comparison, and the resulting `asOfMs`.
 */
async function ask(): Promise<{ before: number; asOfMs: number }> {
  const before = performance.now();
  await freshness.poll();
  return { before, asOfMs: freshness.asOfMs };
}

describe('ReplicaFreshness', () => {
  it('dates the replica by the time when the primary was at the same position', async () => {
    [primary, replica] = [at('100'), at('100')];
    const first = await ask();
    expect(first.asOfMs).toBeGreaterThanOrEqual(first.before);
    primary = at('200');
    expect((await ask()).asOfMs).toBe(first.asOfMs);
    primary = at('300');
    const third = await ask();
    expect(third.asOfMs).toBe(first.asOfMs);
    // The replica has passed the second position but not reached the third.
    replica = at('299');
    const fourth = await ask();
    expect(fourth.asOfMs).toBeGreaterThan(first.asOfMs);
    expect(fourth.asOfMs).toBeLessThan(third.before);
    replica = at('1000');
    const last = await ask();
    expect(last.asOfMs).toBeGreaterThanOrEqual(last.before);
  });

  it('returns no date for a server that is not a replica of this primary', async () => {
    [primary, replica] = [at('100'), at('100')];
    for (const other of [at(null), at('999', 'another'), undefined]) {
      replica = at('100');
      expect((await ask()).asOfMs).toBeGreaterThan(0);
      replica = other;
      expect((await ask()).asOfMs).toBe(-Infinity);
    }
  });

  it('keeps the last date if the primary does not respond, and none after a failure of the replica', async () => {
    [primary, replica] = [at('100'), at('100')];
    const { asOfMs } = await ask();
    primary = undefined;
    expect((await ask()).asOfMs).toBe(asOfMs);
    freshness.resetAge();
    expect(freshness.asOfMs).toBe(-Infinity);
  });
});
