import { formatRelative } from './time';

const NOW = Date.parse('2026-11-21T12:00:00Z');

describe('formatRelative', () => {
  it.each([
    ['2026-11-21T11:59:30Z', 'just now'],
    ['2026-11-21T12:00:30Z', 'in less than a minute'],
    ['2026-11-21T11:57:00Z', '3 minutes ago'],
    ['2026-11-21T09:00:00Z', '3 hours ago'],
    ['2026-11-20T11:00:00Z', 'yesterday'],
    ['2026-12-21T12:00:00Z', 'in 30 days'],
    ['2027-02-19T11:59:55Z', 'in 90 days'],
  ])('formats %s as "%s"', (iso, text) => {
    expect(formatRelative(iso, NOW)).toBe(text);
  });
});
