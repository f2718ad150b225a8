import type { Logger } from '../logging/logger';
import { Load } from './load';

const LATE_MS = 51;
const IN_TIME_MS = 50;

const started = (underWay: number): Load => {
  const limits = { workLimit: 100, eventLoopDelayLimitMs: 50 };
  const load = new Load(limits, {} as Logger);
  for (let n = 0; n < underWay; n += 1) load.begin();
  return load;
};

/** How many more are taken on, once the bound has moved by these delays. */
function roomAfter(load: Load, ...delaysMs: number[]): number {
  for (const delayMs of delaysMs) load.adapt(delayMs);
  let taken = 0;
  for (; !load.isFull && taken < 1_000; taken += 1) load.begin();
  for (let n = 0; n < taken; n += 1) load.end();
  return taken;
}

describe('the bound on what is taken on', () => {
  it('is the limit while the event loop is in time', () => {
    expect(roomAfter(started(30), IN_TIME_MS, IN_TIME_MS)).toBe(70);
    expect(started(100).isFull).toBe(true);
    expect(started(99).isFull).toBe(false);
  });

  it('does not go down for one delay, however long', () => {
    expect(roomAfter(started(90), 10_000, IN_TIME_MS, 10_000)).toBe(10);
  });

  it('goes under what is being worked on while the loop is late', () => {
    const load = started(90);
    expect(roomAfter(load, LATE_MS, LATE_MS)).toBe(0);
    // 72 of the 90 are what may be worked on now.
    for (let n = 0; n < 20; n += 1) load.end();
    expect(roomAfter(load)).toBe(2);
  });

  it('keeps half of the limit, and comes back bit by bit', () => {
    const load = started(1);
    expect(roomAfter(load, LATE_MS, LATE_MS, LATE_MS)).toBe(49);
    expect(roomAfter(load, IN_TIME_MS)).toBe(51);
    expect(roomAfter(load, ...Array.from({ length: 24 }, () => IN_TIME_MS))).toBe(99);
    expect(roomAfter(load, IN_TIME_MS)).toBe(99);
  });
});
