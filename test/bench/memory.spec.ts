import { summary, watchMemory } from '../../bench/memory';

const MIB = 2 ** 20;

describe('watching memory', () => {
  it('tells the peak, and the medians of the first and the last third', () => {
    const seen = summary([1, 9, 2, 3, 5, 4]);
    expect(seen).toEqual({ peakMib: 9, firstThirdMib: 9, lastThirdMib: 5 });
  });

  it('sees memory that a process holds', async () => {
    const before = await watchMemory(process.pid).end();
    const watch = watchMemory(process.pid);
    const held = Buffer.alloc(200 * MIB, 1);
    const after = await watch.end();
    expect(after.peakMib - before.peakMib).toBeGreaterThan(150);
    expect(held[held.length - 1]).toBe(1);
  });

  it('fails for a process that is gone', async () => {
    await expect(watchMemory(2 ** 30).end()).rejects.toThrow('ENOENT');
  });
});
