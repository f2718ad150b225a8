import { timesIn } from './shown-time';

/** Newer versions of the browser's data separate AM and PM with a narrow space. */
const show = (locale: string, type: string, text: string): string =>
  timesIn(locale)(type, text).replaceAll('\u202f', ' ');

describe('timesIn', () => {
  it('shows dates and times in UTC as a locale writes them', () => {
    expect(show('en-US', 'date', '2026-11-21')).toBe('Nov 21, 2026');
    expect(show('en-US', 'datetime', '2026-11-21T09:30:00.000Z')).toBe('Nov 21, 2026, 9:30 AM UTC');
    expect(show('de', 'datetime', '2026-11-21T09:30:00Z')).toBe('21. Nov. 2026, 09:30 UTC');
    expect(show('en-US', 'datetime', '2026-11-21T01:30:00+02:00')).toBe(
      'Nov 20, 2026, 11:30 PM UTC',
    );
  });

  it('shows the seconds of a time that has some', () => {
    expect(show('en-US', 'datetime', '2026-11-21T09:30:05.000Z')).toBe(
      'Nov 21, 2026, 9:30:05 AM UTC',
    );
    expect(show('en-US', 'datetime', '2026-11-21T09:30:00.250Z')).toBe(
      'Nov 21, 2026, 9:30:00 AM UTC',
    );
  });

  it.each([
    ['text', '2026-11-21'],
    ['date', '2026-02-30'],
    ['date', '11/21/2026'],
    ['date', ''],
    ['datetime', '2026-02-30T09:30:00Z'],
    ['datetime', '2026-11-21T09:30:00'],
    ['datetime', '2026-11-21T25:30:00Z'],
    ['datetime', 'tomorrow'],
  ])('leaves a %s %j as it is', (type, text) => {
    expect(show('en-US', type, text)).toBe(text);
  });
});
