import { allowedAgeMs } from './stale-read.interceptor';

describe('allowedAgeMs', () => {
  it.each<[string | undefined, number]>([
    [undefined, 0],
    ['', 0],
    ['no-cache', 0],
    ['max-age=60', 0],
    ['max-stale=5', 5_000],
    ['Max-Stale = "5"', 5_000],
    ['max-age=0, max-stale=30', 30_000],
    ['max-stale', Infinity],
    ['max-stale, max-stale=2', 2_000],
    ['max-stale=0', 0],
    ['max-stale=-1', 0],
    ['max-stale=1.5', 0],
    ['max-stale=1e9', 0],
    ['max-stale=9999999999', 0],
    ['no-cache, max-stale=5', 0],
    ['x-max-stale=5', 0],
  ])('reads the allowed age from %j: %d ms', (header, expected) => {
    expect(allowedAgeMs(header)).toBe(expected);
  });
});
