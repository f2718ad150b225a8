import {
  AccountTurns,
  mapInSlices,
  printInSlices,
  runInSlices,
  SLICE_MS,
} from './event-loop-turns';

/** Blocks the event loop for one slice. */
function work(): void {
  const endsAtMs = performance.now() + SLICE_MS;
  while (performance.now() < endsAtMs);
}

describe('AccountTurns', () => {
  it('lets one waiting account continue in each turn of the event loop', async () => {
    const order: string[] = [];
    const accounts = new AccountTurns();
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const wait = async (name: string, accountId: string): Promise<void> => {
      await accounts.next(accountId);
      order.push(`${name} ${String(turns)}`);
    };
    const waits = [wait('a1', 'a'), wait('a2', 'a'), wait('a3', 'a'), wait('b1', 'b')];
    await Promise.all(waits);
    isOver = true;
    expect(order).toEqual(['a1 1', 'b1 2', 'a2 3', 'a3 4']);
  });
});

describe('mapInSlices', () => {
  it('lets other work run between slices and keeps the order', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const doubled = await mapInSlices('a', [1, 2, 3, 4, 5, 6, 7, 8], (item) => {
      work();
      return 2 * item;
    });
    clearInterval(timer);
    expect(doubled).toEqual([2, 4, 6, 8, 10, 12, 14, 16]);
    expect(turns).toBeGreaterThan(1);
  });

  it('rejects with the error of the work', async () => {
    const failing = mapInSlices('a', [1], () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
  });
});

describe('printInSlices', () => {
  it('prints an array, and lets other work run between slices', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    const printed = await printInSlices('a', [1, 2, 3, 4, 5, 6, 7, 8], (item) => {
      work();
      return String(item);
    });
    clearInterval(timer);
    expect(printed).toBe('[1,2,3,4,5,6,7,8]');
    expect(turns).toBeGreaterThan(1);
  });

  it('prints an array without items', async () => {
    expect(await printInSlices('a', [], String)).toBe('[]');
  });
});

describe('runInSlices', () => {
  it('runs a generator to its end and returns its result', async () => {
    let yields = 0;
    const result = await runInSlices('a', function* (isDue) {
      while (yields < 3) {
        work();
        if (isDue()) {
          yields += 1;
          yield;
        }
      }
      return 'done';
    });
    expect([result, yields]).toEqual(['done', 3]);
  });
});
