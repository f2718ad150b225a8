import { watchMemory } from '../../bench/memory';

const MIB = 2 ** 20;

describe('watching memory', () => {
  it('sees the peak that a process reaches', async () => {
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
