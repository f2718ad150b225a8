import { endsWithin } from './ends-within';

const never = new Promise<void>(() => undefined);

describe('endsWithin', () => {
  it('returns whether the work ends in time', async () => {
    expect(await endsWithin(Promise.resolve(), 60_000)).toBe(true);
    expect(await endsWithin(never, 1)).toBe(false);
  });

  it('waits longer than the longest timer', async () => {
    let end = (): void => undefined;
    const work = new Promise<void>((resolve) => (end = resolve));
    const ended = endsWithin(work, Number.MAX_SAFE_INTEGER);
    await new Promise((resolve) => setTimeout(resolve, 5));
    end();
    expect(await ended).toBe(true);
  });

  it('rejects with the error of the work', async () => {
    await expect(endsWithin(Promise.reject(new Error('no')), 60_000)).rejects.toThrow('no');
  });
});
