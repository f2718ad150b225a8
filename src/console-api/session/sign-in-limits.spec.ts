import { AttemptsInProgress } from './sign-in-limits';

const isDone = async (promise: Promise<void> | undefined): Promise<boolean> =>
  Promise.race([(promise ?? Promise.resolve()).then(() => true), Promise.resolve(false)]);

describe('AttemptsInProgress', () => {
  it('resolves waiting callers when an attempt ends, and leaves nothing to wait for after the last one', async () => {
    const attempts = new AttemptsInProgress();
    attempts.begin('a');
    attempts.begin('a');
    const first = attempts.next('a');
    attempts.end('a');
    await first;
    const second = attempts.next('a');
    expect(await isDone(second)).toBe(false);
    attempts.end('a');
    await second;
    expect(attempts.next('a')).toBeUndefined();
  });

  it('resolves no caller for a withdrawn attempt while another is in progress', async () => {
    const attempts = new AttemptsInProgress();
    attempts.begin('a');
    attempts.begin('a');
    const next = attempts.next('a');
    attempts.withdraw('a');
    expect(await isDone(next)).toBe(false);
    attempts.withdraw('a');
    await next;
    expect(attempts.next('a')).toBeUndefined();
  });
});
