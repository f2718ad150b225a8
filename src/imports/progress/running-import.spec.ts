import { StepQueue } from './running-import';

/** Returns work that ends when `next` is called. */
function gatedWork(): { work: (item: number) => Promise<void>; done: number[]; next: () => void } {
  const gates: (() => void)[] = [];
  const done: number[] = [];
  const work = async (item: number): Promise<void> => {
    await new Promise<void>((resolve) => gates.push(resolve));
    if (item < 0) throw new Error(String(item));
    done.push(item);
  };
  return { work, done, next: () => gates.shift()?.() };
}

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('StepQueue', () => {
  it('processes items one after another and limits the number that wait', async () => {
    const { work, done, next } = gatedWork();
    const queue = new StepQueue(work, 2);
    expect(queue.hasBegun).toBe(false);
    const puts: number[] = [];
    const putting = (async () => {
      for (const item of [1, 2, 3, 4, 5]) {
        await queue.put(item);
        puts.push(item);
      }
    })();
    await turns();
    // One item is being processed, two wait.
    expect([puts, done]).toEqual([[1, 2, 3], []]);
    next();
    await turns();
    expect([puts, done]).toEqual([[1, 2, 3, 4], [1]]);
    for (let left = 4; left > 0; left -= 1) {
      next();
      await turns();
    }
    await putting;
    await queue.end();
    expect(done).toEqual([1, 2, 3, 4, 5]);
  });

  it('rejects waiting and later items after a failure, and starts no more', async () => {
    const { work, done, next } = gatedWork();
    const queue = new StepQueue(work, 1);
    await queue.put(-1);
    await queue.put(2);
    const waiting = queue.put(3);
    next();
    await expect(waiting).rejects.toThrow('-1');
    await expect(queue.put(4)).rejects.toThrow('-1');
    await expect(queue.end()).rejects.toThrow('-1');
    expect(done).toEqual([]);
  });
});
