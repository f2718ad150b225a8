import { canEnter } from './server-identity';

describe('canEnter', () => {
  const nobody = { uid: 65534, gid: 65534 };

  it.each([
    ['others by the last digit', { uid: 0, gid: 0, mode: 0o701 }, true],
    ['others not by the first two', { uid: 0, gid: 0, mode: 0o770 }, false],
    ['the owner by the first', { uid: 65534, gid: 0, mode: 0o100 }, true],
    ['the owner not by the others', { uid: 65534, gid: 65534, mode: 0o611 }, false],
    ['the group by the second', { uid: 0, gid: 65534, mode: 0o710 }, true],
    ['the group not by the last', { uid: 0, gid: 65534, mode: 0o701 }, false],
  ])('lets in %s', (_, directory, expected) => {
    expect(canEnter(directory, nobody)).toBe(expected);
  });
});
