import { AccountBytes } from './account-bytes';

describe('AccountBytes', () => {
  it('gives an account half of the bytes, and all accounts no more than the whole', () => {
    const bytes = new AccountBytes(100);
    expect(bytes.tryAdd('a', 50)).toBe(true);
    expect(bytes.tryAdd('a', 1)).toBe(false);
    expect(bytes.tryAdd('b', 40)).toBe(true);
    expect(bytes.tryAdd('c', 11)).toBe(false);
    expect(bytes.tryAdd('c', 10)).toBe(true);
  });

  it('has room again for bytes that were removed', () => {
    const bytes = new AccountBytes(100);
    bytes.tryAdd('a', 50);
    bytes.remove('a', 50);
    expect(bytes.tryAdd('a', 50)).toBe(true);
    expect(bytes.tryAdd('b', 50)).toBe(true);
    expect(bytes.tryAdd('c', 1)).toBe(false);
  });
});
