import { BatchLoader } from './batch-loader';

interface Call {
  readonly keys: string[];
  readonly resolve: (found: Map<string, string>) => void;
  readonly reject: (error: Error) => void;
}

/** A `find` whose calls the test settles. */
function byHand(): {
  calls: Call[];
  lookup: BatchLoader<string>;
} {
  const calls: Call[] = [];
  const lookup = new BatchLoader<string>(
    (keys) => new Promise((resolve, reject) => calls.push({ keys, resolve, reject })),
  );
  return { calls, lookup };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('BatchLoader', () => {
  it('uses only a lookup that begins after the call, and shares one lookup between waiting callers', async () => {
    const { calls, lookup } = byHand();
    const first = lookup.get('a');
    const later = [lookup.get('a'), lookup.get('a'), lookup.get('b')];
    expect(calls.map(({ keys }) => keys)).toEqual([['a']]);
    calls[0]?.resolve(new Map([['a', 'old']]));
    expect(await first).toBe('old');
    await turn();
    expect(calls.map(({ keys }) => keys)).toEqual([['a'], ['a', 'b']]);
    calls[1]?.resolve(new Map([['a', 'new']]));
    expect(await Promise.all(later)).toEqual(['new', 'new', null]);
  });

  it('rejects only the callers of a failed lookup', async () => {
    const { calls, lookup } = byHand();
    const first = lookup.get('a');
    const second = lookup.get('a');
    calls[0]?.reject(new Error('unavailable'));
    await expect(first).rejects.toThrow('unavailable');
    await turn();
    calls[1]?.resolve(new Map([['a', 'back']]));
    expect(await second).toBe('back');
  });
});
