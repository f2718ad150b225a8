import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { parseKeyFile } from './key-file';
import { Sealer, wrappingKeyIdOf } from './sealer';

const line = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;

const OLD = line('old');
const NEW = line('new');
const PLACE = 'webhook:1:secret';
const SECRET = Buffer.from('correct horse battery staple');
const WRONG = 'The secret was changed, moved, or sealed with another key of the same id.';

const sealer = (...lines: string[]): Sealer =>
  new Sealer(lines.length > 0 ? parseKeyFile(lines.join('\n')) : []);

describe('a sealer', () => {
  it.each([0, 1, 32, 1_000])('opens a secret of %d bytes that it has sealed', (size) => {
    const secret = randomBytes(size);
    const sealed = sealer(OLD).seal(secret, PLACE);
    expect(wrappingKeyIdOf(sealed)).toBe('old');
    expect(sealer(OLD).open(sealed, PLACE)).toEqual(secret);
  });

  it('seals the same secret differently each time, without its bytes', () => {
    const [one, other] = [sealer(OLD).seal(SECRET, PLACE), sealer(OLD).seal(SECRET, PLACE)];
    expect(one.includes(SECRET)).toBe(false);
    // They share the mark, the version and the id.
    expect(one.subarray(0, 6)).toEqual(Buffer.from('\0\x01\x03old', 'latin1'));
    expect(one.subarray(6, 98)).not.toEqual(other.subarray(6, 98));
    expect(one.subarray(-16)).not.toEqual(other.subarray(-16));
  });

  it('opens no secret of which any bit was changed', () => {
    const sealed = sealer(OLD).seal(SECRET, PLACE);
    // A changed first byte makes it a secret in clear: that is seen at the next test.
    for (let index = 1; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => sealer(OLD).open(changed, PLACE)).toThrow(/^The secret (was|is) /);
    }
  });

  it('opens no secret that was cut', () => {
    const sealed = sealer(OLD).seal(SECRET, PLACE);
    for (let length = 95; length < sealed.length; length += 1) {
      expect(() => sealer(OLD).open(sealed.subarray(0, length), PLACE)).toThrow(WRONG);
    }
  });

  it('opens no secret that was moved to another place', () => {
    const sealed = sealer(OLD).seal(SECRET, PLACE);
    expect(() => sealer(OLD).open(sealed, 'webhook:2:secret')).toThrow(WRONG);
  });

  it('opens no secret whose encrypted part was moved under the data key of another', () => {
    const [one, other] = [sealer(OLD).seal(SECRET, PLACE), sealer(OLD).seal(SECRET, PLACE)];
    const mixed = Buffer.concat([one.subarray(0, 66), other.subarray(66)]);
    expect(() => sealer(OLD).open(mixed, PLACE)).toThrow(WRONG);
  });

  it('names the key of a secret that it does not have', () => {
    const sealed = sealer(OLD).seal(SECRET, PLACE);
    const missing = 'The secret is sealed with the key "old", which is missing.';
    expect(() => sealer(NEW).open(sealed, PLACE)).toThrow(missing);
    expect(() => sealer().open(sealed, PLACE)).toThrow(missing);
    expect(() => sealer(line('old')).open(sealed, PLACE)).toThrow(WRONG);
  });

  it('opens with older keys, and seals with the first one', () => {
    const sealed = sealer(OLD).seal(SECRET, PLACE);
    const both = sealer(NEW, OLD);
    expect(both.keyIds).toEqual(['new', 'old']);
    expect(both.open(sealed, PLACE)).toEqual(SECRET);
    expect(wrappingKeyIdOf(both.seal(SECRET, PLACE))).toBe('new');
  });

  it('wraps the key of an older secret with the first key, without encrypting the secret again', () => {
    const sealed = sealer(OLD).seal(SECRET, PLACE);
    const rewrapped = sealer(NEW, OLD).reseal(sealed, PLACE) ?? Buffer.of();
    expect(rewrapped.subarray(66)).toEqual(sealed.subarray(66));
    expect(sealer(NEW).open(rewrapped, PLACE)).toEqual(SECRET);
    expect(sealer(NEW, OLD).reseal(rewrapped, PLACE)).toBeNull();
    expect(() => sealer(NEW, OLD).reseal(sealed, 'webhook:2:secret')).toThrow(WRONG);
  });

  it('seals a secret that is stored in clear', () => {
    const sealed = sealer(OLD).reseal(SECRET, PLACE) ?? Buffer.of();
    expect(wrappingKeyIdOf(sealed)).toBe('old');
    expect(sealer(OLD).open(sealed, PLACE)).toEqual(SECRET);
  });

  it('opens secrets in clear, also keys of 32 bytes that begin as sealed ones do', () => {
    const key = Buffer.concat([Buffer.of(0, 1, 3), randomBytes(29)]);
    for (const secret of [SECRET, key]) {
      expect(wrappingKeyIdOf(secret)).toBeNull();
      expect(sealer(OLD).open(secret, PLACE)).toEqual(secret);
    }
  });

  it('stores secrets in clear without a key, and reseals none', () => {
    expect(sealer().seal(SECRET, PLACE)).toBe(SECRET);
    expect(sealer().reseal(SECRET, PLACE)).toBeNull();
  });

  it('rejects a secret of a version that it does not know, and names its key', () => {
    const later = Buffer.from(sealer(OLD).seal(SECRET, PLACE));
    later[1] = 2;
    expect(() => sealer(OLD).open(later, PLACE)).toThrow(
      'The secret is sealed in the unknown version 2.',
    );
    expect(wrappingKeyIdOf(later)).toBe('old');
  });

  it('shows no key when it is printed', () => {
    const text = inspect(sealer(OLD), { depth: 9, showHidden: true });
    const key = Buffer.from(OLD.slice(4), 'base64');
    expect(text).toContain('old');
    for (const encoding of ['base64', 'hex', 'latin1'] as const) {
      expect(text).not.toContain(key.toString(encoding).slice(0, 12));
    }
    expect(text).not.toContain(inspect(key).slice(8, 24));
  });
});
