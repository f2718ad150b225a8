import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { summary, watchMemory } from '../../bench/memory';

/** Starts an idle process with this much memory. The memory of the test's own process varies. */
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

describe('the memory of a process', () => {
  it('is summarized by its peak and the medians of the first and the last third', () => {
    const seen = summary([1, 9, 2, 3, 5, 4]);
    expect(seen).toEqual({ peakMib: 9, firstThirdMib: 9, lastThirdMib: 5 });
  });

  it('is measured by watchMemory', async () => {
    expect((await peakOf(200)) - (await peakOf(0))).toBeGreaterThan(150);
  });

  it('cannot be measured after the process has ended', async () => {
    await expect(watchMemory(2 ** 30).end()).rejects.toThrow('ENOENT');
  });
});
