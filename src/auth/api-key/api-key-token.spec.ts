import fc from 'fast-check';
import {
  createApiKeyToken,
  describeApiKeyToken,
  hashApiKeyToken,
  isApiKeyToken,
} from './api-key-token';
import { BASE62 } from './base62';

/** Computed in Python with zlib and hashlib. The checksum begins with a zero. */
const KNOWN = 'mk_ab00000000000000000000000000030OJO9g';
const KNOWN_HASH = '3e0b07decda880ea0cf053a3a86ed6a78fb2a7cf27f602f2f73d235bb867c669';

describe('100,000 generated API keys', () => {
  const keys = Array.from({ length: 100_000 }, createApiKeyToken);

  it('match the format of a key', () => {
    expect(keys.filter((key) => !/^mk_[0-9A-Za-z]{36}$/.test(key))).toEqual([]);
  });

  it('have correct checksums', () => {
    expect(keys.filter((key) => !isApiKeyToken(key))).toEqual([]);
  });

  it('are all different', () => {
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('contain every character about equally often', () => {
    const counts = new Map(Array.from(BASE62, (character) => [character, 0]));
    for (const key of keys) {
      for (const character of key.slice(3, 33)) {
        counts.set(character, (counts.get(character) ?? 0) + 1);
      }
    }
    const expected = (keys.length * 30) / 62;
    // The standard deviation is 218. A uniform generator does not deviate by 8 of them. A random
    // byte modulo 62 deviates by 47.
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(8 * 218);
  });
});

describe('isApiKeyToken', () => {
  it('knows a checksum computed elsewhere', () => {
    expect(isApiKeyToken(KNOWN)).toBe(true);
  });

  it('sees any one character changed', () => {
    fc.assert(
      fc.property(fc.nat(38), fc.constantFrom(...Array.from(BASE62)), (at, character) => {
        const key = createApiKeyToken();
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        expect(isApiKeyToken(changed)).toBe(changed === key);
      }),
    );
  });

  it.each([
    [''],
    ['mk_'],
    [`${KNOWN}\n`],
    [` ${KNOWN}`],
    [KNOWN.toUpperCase()],
    [KNOWN.slice(0, -1)],
  ])('refuses %j', (text) => {
    expect(isApiKeyToken(text)).toBe(false);
  });

  it('throws at no text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(isApiKeyToken(text)).toBe(false);
      }),
    );
  });
});

describe('what is kept of a key', () => {
  it('is its SHA-256, 32 bytes', () => {
    expect(hashApiKeyToken(KNOWN).toString('hex')).toBe(KNOWN_HASH);
  });

  it('is its first 8 and last 4 characters', () => {
    expect(describeApiKeyToken(`mk_abcde${'x'.repeat(27)}wxyz`)).toEqual({
      prefix: 'mk_abcde',
      lastFour: 'wxyz',
    });
  });
});
