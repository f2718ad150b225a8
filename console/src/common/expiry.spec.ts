import { ApiError } from '../api/api-error';
import { expiresAtOf } from './expiry';

const NOW = Date.parse('2026-11-21T12:00:00Z');

describe('expiresAtOf', () => {
  it.each([
    ['30', '2026-12-21T12:00:00.000Z'],
    ['90', '2027-02-19T12:00:00.000Z'],
    ['365', '2027-11-21T12:00:00.000Z'],
    ['never', null],
  ] as const)('adds %s to the current time', (choice, expiresAt) => {
    expect(expiresAtOf({ choice, day: '' }, NOW)).toBe(expiresAt);
  });

  it('expires at the end of the day in the local time zone', () => {
    const expiresAt = expiresAtOf({ choice: 'date', day: '2027-01-31' }, NOW);
    expect(new Date(expiresAt ?? '').toString()).toContain('Jan 31 2027 23:59:59');
  });

  it('reports a missing day at its field', () => {
    let failure: unknown;
    try {
      expiresAtOf({ choice: 'date', day: '' }, NOW);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(ApiError);
    expect((failure as ApiError).details.map(({ field }) => field)).toEqual(['expiresAt']);
  });
});
