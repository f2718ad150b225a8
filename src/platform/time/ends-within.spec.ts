import { endsWithin } from './ends-within';

const never = new Promise<void>(() => undefined);

describe('endsWithin', () => {
  it('tells what ends from what does not', async () => {
    expect(await endsWithin(Promise.resolve(), 60_000)).toBe(true);
    expect(await endsWithin(never, 1)).toBe(false);
  });

  it('waits for longer than a timer can', async () => {
    let end = (): void => undefined;
    const work = new Promise<void>((resolve) => (end = resolve));
    const ended = endsWithin(work, Number.MAX_SAFE_INTEGER);
    await new Promise((resolve) => setTimeout(resolve, 5));
    end();
    expect(await ended).toBe(true);
  });

  it('throws what the work throws', async () => {
    await expect(endsWithin(Promise.reject(new Error('no')), 60_000)).rejects.toThrow('no');
  });
});
