import { shownAddress } from './visit';

describe('shownAddress', () => {
  it.each([
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['203.0.113.9', '203.0.113.9'],
    ['::1', '::1'],
    ['::ffff:0:1', '::ffff:0:1'],
    ['2001:db8::ffff:1', '2001:db8::ffff:1'],
  ])('shows %s as %s', (address, shown) => {
    expect(shownAddress(address)).toBe(shown);
  });
});
