import { timesIn } from '../../../common/shown-time';
import { bucketOf, periodOf, periodsIn, type DateBucket } from './period';

describe('bucketOf', () => {
  it.each([
    ['date', 'month', 'month'],
    ['date', null, 'day'],
    ['date', 'hour', 'day'],
    ['datetime', 'week', 'week'],
    ['datetime', null, null],
    ['text', 'month', null],
  ] as const)('groups a %s column with the period %j by %j', (type, name, bucket) => {
    expect(bucketOf({ type }, name)).toBe(bucket);
  });

  it('returns no period without a column', () => {
    expect(bucketOf(undefined, 'month')).toBeNull();
  });
});

describe('periodOf', () => {
  it.each<[DateBucket, string, string, string | null]>([
    ['day', '2026-11-21', '2026-11-21', '2026-11-22'],
    ['day', '2024-02-29', '2024-02-29', '2024-03-01'],
    ['week', '2026-11-23', '2026-11-23', '2026-11-30'],
    ['week', '2026-11-29', '2026-11-23', '2026-11-30'],
    ['week', '2027-01-01', '2026-12-28', '2027-01-04'],
    ['month', '2026-12-31', '2026-12-01', '2027-01-01'],
    ['quarter', '2026-11-21', '2026-10-01', '2027-01-01'],
    ['quarter', '2026-03-31', '2026-01-01', '2026-04-01'],
    ['year', '2026-11-21', '2026-01-01', '2027-01-01'],
    ['week', '0001-01-01', '0001-01-01', '0001-01-08'],
    ['month', '0099-12-05', '0099-12-01', '0100-01-01'],
    ['year', '9999-06-01', '9999-01-01', null],
    ['day', '9999-12-31', '9999-12-31', null],
  ])('returns the %s of %s', (bucket, day, first, next) => {
    expect(periodOf(bucket, day)).toEqual({ first, next });
  });

  it.each([[null], [5], ['2026-11'], ['2026-02-30'], ['2026-11-21T00:00:00Z'], ['open']])(
    'returns null for %j, which is not a day',
    (value) => {
      expect(periodOf('month', value)).toBeNull();
    },
  );
});

describe('periodsIn', () => {
  const show = (locale: string, bucket: DateBucket, first: string): string =>
    periodsIn(locale, timesIn(locale))(bucket, first);

  it('names periods as a locale writes dates', () => {
    expect(show('en-US', 'day', '2026-11-21')).toBe('Nov 21, 2026');
    expect(show('en-US', 'week', '2026-11-23')).toBe('Week of Nov 23, 2026');
    expect(show('en-US', 'month', '2026-11-01')).toBe('November 2026');
    expect(show('en-US', 'quarter', '2026-10-01')).toBe('Q4 2026');
    expect(show('en-US', 'year', '2026-01-01')).toBe('2026');
    expect(show('de', 'month', '2026-03-01')).toBe('März 2026');
    expect(show('ja', 'month', '2026-03-01')).toBe('2026年3月');
  });

  it('uses the Gregorian calendar, whose months the API groups by', () => {
    expect(show('th', 'year', '2026-01-01')).toContain('2026');
    expect(show('th', 'month', '2026-11-01')).toContain('2026');
  });
});
