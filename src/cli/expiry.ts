import { InvalidArgumentError } from 'commander';

const SECONDS = new Map([
  ['s', 1],
  ['m', 60],
  ['h', 3_600],
  ['d', 86_400],
  ['w', 604_800],
]);

/** RFC 3339 has four digits for the year. */
const END_OF_TIME = Date.UTC(9999, 11, 31);

/**
 * The moment that a duration such as `30d` ends, from `now`, in milliseconds. Units: seconds,
 * minutes, hours, days, weeks.
 * @throws InvalidArgumentError where it is no such duration, or ends after the year 9999.
 */
export function readExpiry(duration: string, now = Date.now()): Date {
  const [, count, unit = ''] = /^([1-9]\d*)(\w)$/.exec(duration) ?? [];
  const unitSeconds = SECONDS.get(unit);
  if (count === undefined || unitSeconds === undefined) {
    throw new InvalidArgumentError('Give a positive whole number and s, m, h, d or w: 30d.');
  }
  const end = now + Number(count) * unitSeconds * 1000;
  if (end > END_OF_TIME) throw new InvalidArgumentError('It must end before the year 10000.');
  return new Date(end);
}
