import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { addressGroup } from './address-rate-limit';
import { LocalRateCounter } from './rate-counters';
import { Windows } from './rate-counter';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapMiB(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}

const address = (n: number): string =>
  addressGroup(`2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`);

describe('the counters of a million addresses', () => {
  it('use little memory, which is released after the window', async () => {
    const counter = new LocalRateCounter(60, 1);
    const before = heapMiB();
    for (let n = 0; n < 1_000_000; n += 1) counter.hit(address(n));
    expect(heapMiB() - before).toBeLessThan(40);
    // The end of the window, and the timer that removes it.
    const deadline = performance.now() + 10_000;
    while (heapMiB() - before > 8 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(heapMiB() - before).toBeLessThan(8);
    expect(counter.hit(address(7)).remaining).toBe(59);
    // A busy machine needs time for a million addresses.
  }, 120_000);

  it('drop the least recently used above 100,000', () => {
    const windows = new Windows<{ n: number }>(60, () => false);
    const ask = (n: number): number => windows.get(String(n), 0, () => ({ n: -n })).n;
    for (let n = 1; n <= 100_000; n += 1) ask(n);
    windows.get('1', 0, () => ({ n: 7 }));
    ask(100_001);
    expect(windows.size).toBe(100_000);
    const begun: number[] = [];
    for (const n of [1, 2]) windows.get(String(n), 0, () => ({ n: begun.push(n) }));
    expect(begun).toEqual([2]);
  });
});
