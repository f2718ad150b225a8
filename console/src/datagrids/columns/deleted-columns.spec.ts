import { freeKey } from './deleted-columns';

describe('the key of a restored column', () => {
  it('is its own if no other column has it', () => {
    expect(freeKey('size', [{ key: 'name' }])).toBe('size');
  });

  it('has the first free number if other columns have the key', () => {
    expect(freeKey('size', [{ key: 'size' }])).toBe('size_2');
    expect(freeKey('size', [{ key: 'size' }, { key: 'size_2' }])).toBe('size_3');
  });

  it('is not longer than 63 characters', () => {
    const key = 'a'.repeat(63);
    expect(freeKey(key, [{ key }])).toBe(`${'a'.repeat(58)}_2`);
  });
});
