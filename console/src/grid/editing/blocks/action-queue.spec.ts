import { ActionQueue } from './action-queue';

describe('the queue of actions', () => {
  it('starts an action only after the one before it', async () => {
    const queue = new ActionQueue();
    const order: string[] = [];
    let finish = (): void => undefined;
    const first = queue.run(async () => {
      await new Promise<void>((resolve) => (finish = resolve));
      order.push('first');
    });
    const second = queue.run(() => {
      order.push('second');
      return Promise.resolve();
    });
    await Promise.resolve();
    finish();
    await Promise.all([first, second]);
    expect(order).toEqual(['first', 'second']);
  });

  it('goes on after an action that failed', async () => {
    const queue = new ActionQueue();
    const failed = queue.run(() => Promise.reject(new Error('no')));
    const next = queue.run(() => Promise.resolve());
    await expect(failed).rejects.toThrow('no');
    await expect(next).resolves.toBeUndefined();
  });
});
