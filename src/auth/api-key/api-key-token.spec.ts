import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import {
  BASE62,
  createApiKeyToken,
  describeApiKeyToken,
  isApiKeyToken,
  readBearerToken,
  sentKeyHash,
} from './api-key-token';
import { hashSecretToken } from '../secret-token';

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

  it('contain no duplicates', () => {
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
  it('accepts a key whose checksum was computed elsewhere', () => {
    expect(isApiKeyToken(KNOWN)).toBe(true);
  });

  it('rejects a key if any one character is changed', () => {
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
  ])('rejects %j', (text) => {
    expect(isApiKeyToken(text)).toBe(false);
  });

  it('never throws, and rejects arbitrary text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(isApiKeyToken(text)).toBe(false);
      }),
    );
  });
});

describe('stored data of an API key', () => {
  it('contains the SHA-256 hash of 32 bytes', () => {
    expect(hashSecretToken(KNOWN).toString('hex')).toBe(KNOWN_HASH);
  });

  it('contains the first 8 and the last 4 characters', () => {
    expect(describeApiKeyToken(`mk_abcde${'x'.repeat(27)}wxyz`)).toEqual({
      prefix: 'mk_abcde',
      lastFour: 'wxyz',
    });
  });
});

describe('readBearerToken', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer abc', 'abc'],
    ['BEARER a-b._~+/9==', 'a-b._~+/9=='],
    [`Bearer ${'a'.repeat(505)}`, 'a'.repeat(505)],
  ])('reads %j', (header, token) => {
    expect(readBearerToken(header)).toBe(token);
  });
});

describe('a malformed Authorization header', () => {
  it.each([
    [undefined],
    [''],
    ['Bearer'],
    ['Bearer '],
    ['Bearer  abc'],
    ['Bearer\tabc'],
    [' Bearer abc'],
    ['Bearer abc '],
    ['Bearer abc\n'],
    ['Bearer abc def'],
    ['Bearer abc, Bearer def'],
    ['Bearer abc,def'],
    ['Bearer a=b'],
    ['Bearerabc'],
    ['Basic YTpi'],
    ['abc'],
    [`Bearer ${'a'.repeat(506)}`],
    [`Bearer ${'a'.repeat(8_192)}`],
  ])('contains no key: %j', (header) => {
    expect(readBearerToken(header)).toBeNull();
  });
});

const KEY = createApiKeyToken();
const OTHER = createApiKeyToken();

/** Hashes found in successive requests of one connection that send these headers. */
function hashesOf(...sent: readonly (readonly string[])[]): (string | null)[] {
  const socket = {};
  return sent.map((values) => {
    const rawHeaders = ['Host', 'a', ...values.flatMap((value) => ['Authorization', value])];
    // Node.js keeps the first one.
    const headers = values[0] === undefined ? {} : { authorization: values[0] };
    return sentKeyHash({ socket, headers, rawHeaders } as unknown as IncomingMessage);
  });
}

const hashOf = (token: string): string => hashSecretToken(token).toString('hex');

describe('sentKeyHash', () => {
  it('hashes the key of each request, whatever the connection has sent before', () => {
    const sent = [[`Bearer ${KEY}`], [`Bearer ${OTHER}`], [`Bearer ${KEY}`], [`bearer ${KEY}`]];
    expect(hashesOf(...sent)).toEqual([hashOf(KEY), hashOf(OTHER), hashOf(KEY), hashOf(KEY)]);
  });

  it('returns null for no key, two keys or a malformed key, even after a valid key on the connection', () => {
    const none = [[], [`Bearer ${KEY}`, `Bearer ${KEY}`], [`Bearer ${KEY} `], [`Bearer ${KEY}x`]];
    const sent = none.flatMap((each) => [[`Bearer ${KEY}`], each]);
    expect(hashesOf(...sent)).toEqual(none.flatMap(() => [hashOf(KEY), null]));
  });

  it('returns null each time if the checksum is wrong', () => {
    const mistyped = KEY.slice(0, -1) + (KEY.endsWith('A') ? 'B' : 'A');
    expect(hashesOf([`Bearer ${mistyped}`], [`Bearer ${mistyped}`])).toEqual([null, null]);
  });
});
