import { Restarts } from './restarts';

const CRASH = { wasReady: true, uptimeMs: 1_000, hasFailed: true };
const FAILED_START = { wasReady: false, uptimeMs: 1_000, hasFailed: true };

describe('Restarts', () => {
  it('replaces a worker at once, and waits longer after each further crash', () => {
    const restarts = new Restarts();
    restarts.ready();
    const pauses = Array.from({ length: 8 }, () => restarts.pauseMs(CRASH));
    expect(pauses).toEqual([0, 250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });

  it('does not wait for a worker that has run for a minute', () => {
    const restarts = new Restarts();
    restarts.ready();
    for (let crash = 0; crash < 5; crash += 1) restarts.pauseMs(CRASH);
    expect(restarts.pauseMs({ ...CRASH, uptimeMs: 60_000 })).toBe(0);
    expect(restarts.pauseMs(CRASH)).toBe(0);
    expect(restarts.pauseMs(CRASH)).toBe(250);
  });

  it('gives up if the first worker fails', () => {
    expect(new Restarts().pauseMs(FAILED_START)).toBeNull();
  });

  it('tries again if the first worker is killed', () => {
    const restarts = new Restarts();
    const killed = { ...FAILED_START, hasFailed: false };
    const pauses = Array.from({ length: 5 }, () => restarts.pauseMs(killed));
    expect(pauses).toEqual([0, 250, 500, 1_000, null]);
  });

  it('gives up after five failed starts in a row, not counting those before a worker was ready', () => {
    const restarts = new Restarts();
    restarts.ready();
    for (let start = 0; start < 4; start += 1) restarts.pauseMs(FAILED_START);
    restarts.ready();
    for (let start = 0; start < 4; start += 1) {
      expect(restarts.pauseMs(FAILED_START)).not.toBeNull();
    }
    expect(restarts.pauseMs(FAILED_START)).toBeNull();
  });
});
