import { RepeatedTask } from './repeated-task';

const PAUSE_MS = 10_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Returns a promise and the function that resolves it. */
function later<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => (resolve = done));
  return { promise, resolve };
}

describe('RepeatedTask', () => {
  it('runs immediately and after each pause until it is stopped', async () => {
    let runs = 0;
    const task = new RepeatedTask(() => Promise.resolve((runs += 1)), PAUSE_MS, fail);
    task.start();
    expect(runs).toBe(0);
    await jest.advanceTimersByTimeAsync(0);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(PAUSE_MS - 1);
    expect(runs).toBe(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(runs).toBe(2);
    await task.stop();
    await jest.advanceTimersByTimeAsync(10 * PAUSE_MS);
    expect(runs).toBe(2);
    expect(await task.runOnce()).toBe(0);
  });

  it('never runs two at a time', async () => {
    const [first, second] = [later<number>(), later<number>()];
    const begun: string[] = [];
    const works = [first.promise, second.promise];
    const task = new RepeatedTask(
      () => {
        begun.push('run');
        return works.shift() ?? Promise.resolve(0);
      },
      PAUSE_MS,
      fail,
    );
    const both = Promise.all([task.runOnce(), task.runOnce()]);
    await jest.advanceTimersByTimeAsync(0);
    expect(begun).toHaveLength(1);
    first.resolve(1);
    await jest.advanceTimersByTimeAsync(0);
    expect(begun).toHaveLength(2);
    second.resolve(2);
    expect(await both).toEqual([1, 2]);
  });

  it('reports a failure and runs again after the pause', async () => {
    const failures: unknown[] = [];
    const fault = new Error('not now');
    let runs = 0;
    const task = new RepeatedTask(
      () => ((runs += 1) === 1 ? Promise.reject(fault) : Promise.resolve(0)),
      PAUSE_MS,
      (error) => failures.push(error),
    );
    task.start();
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    expect([failures, runs]).toEqual([[fault], 2]);
    await task.stop();
  });

  it('stops after the run in progress, which sees that it must stop', async () => {
    const step = later<number>();
    const task = new RepeatedTask(() => step.promise, PAUSE_MS, fail);
    task.start();
    await jest.advanceTimersByTimeAsync(0);
    let isStopped = false;
    const stopped = task.stop().then(() => (isStopped = true));
    await jest.advanceTimersByTimeAsync(PAUSE_MS);
    expect([isStopped, task.isStopping]).toEqual([false, true]);
    step.resolve(0);
    await stopped;
    expect(isStopped).toBe(true);
  });
});

function fail(error: unknown): void {
  throw error;
}
