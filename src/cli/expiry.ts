import { InvalidArgumentError } from 'commander';

const SECONDS = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
  ['w', 604_800],
]);

/** Latest expiry that is accepted. RFC 3339 has four digits for the year. */
const END_OF_TIME = Date.UTC(9999, 11, 31);

/**
 * Returns the time at which a duration such as `30d` ends. Units: seconds (s), minutes (m), hours
 * (h), days (d) and weeks (w).
 * @param now Start of the duration, in milliseconds since the epoch.
 * @throws InvalidArgumentError if `duration` is invalid or ends after the year 9999.
 */
export function readExpiry(duration: string, now = Date.now()): Date {
  const [, count, unit = ''] = /^([1-9]\d*)(\w)$/.exec(duration) ?? [];
  const unitSeconds = SECONDS.get(unit);
  if (count === undefined || unitSeconds === undefined) {
    throw new InvalidArgumentError(
      'Expected a positive integer and a unit (s, m, h, d or w), such as 30d.',
    );
  }
  const end = now + Number(count) * unitSeconds * 1000;
  if (end > END_OF_TIME)
    throw new InvalidArgumentError('The key must expire before the year 10000.');
  return new Date(end);
}
