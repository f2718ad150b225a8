import { StreamPace } from './stream-pace';

const LIMITS = { minStreamBytesPerSecond: 100, maxStreamStallSeconds: 30 };

/** Returns after how many seconds a client at this pace is cut off; `null` if it lasts an hour. */
function secondsAt(bytesPerSecond: number): number | null {
  const pace = new StreamPace(LIMITS);
  for (let second = 1; second <= 3_600; second += 1) {
    pace.recordWait(1_000);
    if (pace.isExhausted) return second;
    pace.recordTransfer(bytesPerSecond);
  }
  return null;
}

describe('StreamPace', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each([
    [0, 30],
    [1, 31],
    [50, 59],
    [99, 2_901],
    [100, null],
    [1_000_000, null],
  ])(
    'cuts off a client that moves %d of 100 bytes per second after %s seconds',
    (bytes, seconds) => {
      expect(secondsAt(bytes)).toBe(seconds);
    },
  );

  it('saves no more than the full time for a client that was fast before', () => {
    const pace = new StreamPace(LIMITS);
    pace.recordTransfer(1_000_000);
    pace.recordWait(30_000);
    expect(pace.isExhausted).toBe(true);
  });

  it('ends a wait once, when the time of the client is used up', () => {
    const pace = new StreamPace(LIMITS);
    const onOver = jest.fn();
    const stop = pace.startWaiting(onOver);
    jest.advanceTimersByTime(29_999);
    expect(onOver).not.toHaveBeenCalled();
    jest.advanceTimersByTime(60_000);
    expect(onOver).toHaveBeenCalledTimes(1);
    stop();
  });

  it('adds up many short waits without the time between them', () => {
    const pace = new StreamPace(LIMITS);
    const onOver = jest.fn();
    for (let count = 0; count < 59; count += 1) {
      const stop = pace.startWaiting(onOver);
      jest.advanceTimersByTime(500);
      stop();
      jest.advanceTimersByTime(10_000);
    }
    expect(onOver).not.toHaveBeenCalled();
    pace.startWaiting(onOver);
    jest.advanceTimersByTime(500);
    expect(onOver).toHaveBeenCalledTimes(1);
  });

  it('counts one second if the process itself was suspended', () => {
    const pace = new StreamPace(LIMITS);
    const now = jest.spyOn(performance, 'now');
    const startMs = performance.now();
    const stop = pace.startWaiting(jest.fn());
    now.mockReturnValue(startMs + 3_600_000);
    stop();
    now.mockRestore();
    pace.recordWait(28_999);
    expect(pace.isExhausted).toBe(false);
    pace.recordWait(1);
    expect(pace.isExhausted).toBe(true);
  });
});
