import { AccountCache } from './account-cache';

/** Returns the keys that are still cached. Reads them in this order. */
const kept = (cache: AccountCache<string>, accountId: string, ...keys: string[]): string[] =>
  keys.filter((key) => cache.get(accountId, key) !== undefined);

describe('AccountCache', () => {
  it('gives back what was set, and nothing of another account', () => {
    const cache = new AccountCache<string>(100);
    cache.set('a', 'k', 'value', 10);
    expect(cache.get('a', 'k')).toBe('value');
    expect(cache.get('b', 'k')).toBeUndefined();
    cache.delete('a', 'k');
    expect(cache.get('a', 'k')).toBeUndefined();
  });

  it('drops the least recently used values of an account that exceeds its half', () => {
    const cache = new AccountCache<string>(100);
    cache.set('b', 'other', 'x', 50);
    for (const key of ['1', '2', '3', '4', '5']) cache.set('a', key, 'x', 10);
    expect(cache.get('a', '1')).toBe('x');
    cache.set('a', '6', 'x', 10);
    expect(kept(cache, 'a', '1', '2', '3', '4', '5', '6')).toEqual(['1', '3', '4', '5', '6']);
    expect(kept(cache, 'b', 'other')).toEqual(['other']);
  });

  it('drops values of the least recently used account where all together are too large', () => {
    const cache = new AccountCache<string>(100);
    cache.set('a', '1', 'x', 40);
    cache.set('b', '1', 'x', 40);
    expect(cache.get('a', '1')).toBe('x');
    cache.set('c', '1', 'x', 40);
    expect([kept(cache, 'a', '1'), kept(cache, 'b', '1'), kept(cache, 'c', '1')]).toEqual([
      ['1'],
      [],
      ['1'],
    ]);
  });

  it('counts a value that is set again once, and keeps none larger than an account may have', () => {
    const cache = new AccountCache<string>(100);
    for (let n = 0; n < 20; n += 1) cache.set('a', 'k', String(n), 40);
    cache.set('a', 'l', 'x', 10);
    expect([cache.get('a', 'k'), cache.get('a', 'l')]).toEqual(['19', 'x']);
    cache.set('a', 'k', 'huge', 51);
    expect(cache.get('a', 'k')).toBeUndefined();
    expect(cache.get('a', 'l')).toBe('x');
  });
});
