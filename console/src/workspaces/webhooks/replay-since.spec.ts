import { sinceOf } from './replay-since';

describe('sinceOf', () => {
  it('returns the beginning of a period in UTC', () => {
    expect(sinceOf('3600', '', Date.parse('2026-11-21T09:30:00Z'))).toBe(
      '2026-11-21T08:30:00.000Z',
    );
  });

  it('returns an entered time in UTC, and an incomplete one unchanged', () => {
    expect(sinceOf('time', '2026-11-21T09:30')).toBe(new Date(2026, 10, 21, 9, 30).toISOString());
    expect(sinceOf('time', '')).toBe('');
  });
});
