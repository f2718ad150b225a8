import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { summary, watchMemory } from '../../bench/memory';

/** A process with so much memory, which does nothing: this one's own comes and goes. */
async function peakOf(heldMib: number): Promise<number> {
  const program = `
    const held = Buffer.alloc(${String(heldMib)} * 2 ** 20, 1);
    console.log(held.length);
    setInterval(() => held, 2 ** 30);`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(child.stdout, 'data');
    return (await watchMemory(child.pid ?? 0).end()).peakMib;
  } finally {
    child.kill('SIGKILL');
  }
}

describe('watching memory', () => {
  it('tells the peak, and the medians of the first and the last third', () => {
    const seen = summary([1, 9, 2, 3, 5, 4]);
    expect(seen).toEqual({ peakMib: 9, firstThirdMib: 9, lastThirdMib: 5 });
  });

  it('sees memory that a process holds', async () => {
    expect((await peakOf(200)) - (await peakOf(0))).toBeGreaterThan(150);
  });

  it('fails for a process that is gone', async () => {
    await expect(watchMemory(2 ** 30).end()).rejects.toThrow('ENOENT');
  });
});
