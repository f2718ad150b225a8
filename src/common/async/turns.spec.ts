import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { Turns, TurnsTakenError } from './turns';

describe('Turns', () => {
  it('does so much at a time, lets so many wait in their order, and refuses the rest', async () => {
    const turns = new Turns(2, 3);
    const begun: number[] = [];
    const finish: (() => void)[] = [];
    const take = (n: number): Promise<number> =>
      turns.take(async () => {
        begun.push(n);
        await new Promise<void>((resolve) => finish.push(resolve));
        return n;
      });
    const all = [1, 2, 3, 4, 5].map(take);
    await turnOfEvents();
    expect(begun).toEqual([1, 2]);
    await expect(take(6)).rejects.toBeInstanceOf(TurnsTakenError);
    for (let n = 0; n < 5; n += 1) {
      finish.shift()?.();
      await turnOfEvents();
    }
    expect(begun).toEqual([1, 2, 3, 4, 5]);
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4, 5]);
  });

  it('gives the place on where the work fails', async () => {
    const turns = new Turns(1, 0);
    await expect(turns.take(() => Promise.reject(new Error('x')))).rejects.toThrow('x');
    expect(await turns.take(() => Promise.resolve('next'))).toBe('next');
  });
});
