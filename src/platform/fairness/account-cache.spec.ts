import { AccountByteCounter, AccountCache } from './account-cache';

describe('AccountBytes', () => {
  it('gives one account half of the bytes, and all accounts together the whole', () => {
    const bytes = new AccountByteCounter(100);
    expect(bytes.tryAdd('a', 50)).toBe(true);
    expect(bytes.tryAdd('a', 1)).toBe(false);
    expect(bytes.tryAdd('b', 40)).toBe(true);
    expect(bytes.tryAdd('c', 11)).toBe(false);
    expect(bytes.tryAdd('c', 10)).toBe(true);
  });

  it('accepts new bytes after others were removed', () => {
    const bytes = new AccountByteCounter(100);
    bytes.tryAdd('a', 50);
    bytes.remove('a', 50);
    expect(bytes.tryAdd('a', 50)).toBe(true);
    expect(bytes.tryAdd('b', 50)).toBe(true);
    expect(bytes.tryAdd('c', 1)).toBe(false);
  });
});

/** Returns the keys that are still cached. Reads them in this order. */
const cachedKeys = (cache: AccountCache<string>, accountId: string, ...keys: string[]): string[] =>
  keys.filter((key) => cache.get(accountId, key) !== undefined);

describe('AccountCache', () => {
  it('returns the values of an account and none of another account', () => {
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
    expect(cachedKeys(cache, 'a', '1', '2', '3', '4', '5', '6')).toEqual(['1', '3', '4', '5', '6']);
    expect(cachedKeys(cache, 'b', 'other')).toEqual(['other']);
  });

  it('drops values of the least recently used account if all together are too large', () => {
    const cache = new AccountCache<string>(100);
    cache.set('a', '1', 'x', 40);
    cache.set('b', '1', 'x', 40);
    expect(cache.get('a', '1')).toBe('x');
    cache.set('c', '1', 'x', 40);
    expect([
      cachedKeys(cache, 'a', '1'),
      cachedKeys(cache, 'b', '1'),
      cachedKeys(cache, 'c', '1'),
    ]).toEqual([['1'], [], ['1']]);
  });

  it('counts a replaced value once, and stores none larger than the share of an account', () => {
    const cache = new AccountCache<string>(100);
    for (let n = 0; n < 20; n += 1) cache.set('a', 'k', String(n), 40);
    cache.set('a', 'l', 'x', 10);
    expect([cache.get('a', 'k'), cache.get('a', 'l')]).toEqual(['19', 'x']);
    cache.set('a', 'k', 'huge', 51);
    expect(cache.get('a', 'k')).toBeUndefined();
    expect(cache.get('a', 'l')).toBe('x');
  });
});
