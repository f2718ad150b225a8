import type { ApiKey } from '../../api/types';
import { badgesOf } from './key-badges';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const KEY: ApiKey = {
  id: '1',
  name: 'Stock sync',
  prefix: 'mk_12345',
  lastFour: 'abcd',
  createdAt: '2026-11-01T12:00:00Z',
  lastUsedAt: null,
  expiresAt: '2027-02-19T12:00:00Z',
  revokedAt: null,
  replacedById: null,
  scopes: null,
  workspaceIds: null,
  datagridIds: null,
  state: 'active',
};

const labels = (change: Partial<ApiKey>): string[] =>
  badgesOf({ ...KEY, ...change }, NOW).map(({ label }) => label);

describe('the badges of a key', () => {
  it('are none while it is active for long or for ever', () => {
    expect(labels({})).toEqual([]);
    expect(labels({ expiresAt: null })).toEqual([]);
  });

  it('warn of an expiry within 14 days, but not if another key has replaced it', () => {
    const expiresAt = '2026-11-26T12:00:00Z';
    expect(labels({ expiresAt })).toEqual(['Expires in 5 days']);
    expect(labels({ expiresAt, replacedById: '2' })).toEqual(['Rotated']);
  });

  it('name the state of a key that no longer works', () => {
    expect(labels({ state: 'revoked' })).toEqual(['Revoked']);
    expect(labels({ state: 'expired', replacedById: '2' })).toEqual(['Rotated', 'Expired']);
  });
});
