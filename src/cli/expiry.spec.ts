import { readExpiry } from './expiry';

describe('readExpiry', () => {
  it.each([
    ['1s', '2026-01-01T00:00:01.000Z'],
    ['90m', '2026-01-01T01:30:00.000Z'],
    ['36h', '2026-01-02T12:00:00.000Z'],
    ['30d', '2026-01-31T00:00:00.000Z'],
    ['2w', '2026-01-15T00:00:00.000Z'],
  ])('adds %s to the start of 2026 and returns %s', (duration, end) => {
    expect(readExpiry(duration, Date.UTC(2026)).toISOString()).toBe(end);
  });

  it.each(['', '0d', '-1d', '1.5d', '30', 'd', '1y', '1 d', '01d', '1D', '1e3d'])(
    'rejects %j',
    (duration) => {
      expect(() => readExpiry(duration)).toThrow('positive integer');
    },
  );

  it.each(['9999999d', '99999999999999999999999w'])(
    'rejects %s, which ends after the year 9999',
    (duration) => {
      expect(() => readExpiry(duration)).toThrow('before the year 10000');
    },
  );
});
