import { canEnter, socketDirectoryCandidates } from './server-identity';

describe('canEnter', () => {
  const nobody = { uid: 65534, gid: 65534 };

  it.each([
    ['lets others in by the last digit', { uid: 0, gid: 0, mode: 0o701 }, true],
    ['keeps others out despite the first two digits', { uid: 0, gid: 0, mode: 0o770 }, false],
    ['lets the owner in by the first digit', { uid: 65534, gid: 0, mode: 0o100 }, true],
    [
      'keeps the owner out despite the other digits',
      { uid: 65534, gid: 65534, mode: 0o611 },
      false,
    ],
    ['lets the group in by the second digit', { uid: 0, gid: 65534, mode: 0o710 }, true],
    ['keeps the group out despite the last digit', { uid: 0, gid: 65534, mode: 0o701 }, false],
  ])('%s', (_, directory, expected) => {
    expect(canEnter(directory, nobody)).toBe(expected);
  });
});

describe('socketDirectoryCandidates', () => {
  it('prefers the data directory', () => {
    expect(socketDirectoryCandidates('/data', ['/tmp'])[0]).toBe('/data/postgres-socket');
  });

  it('omits directories that are too long for a socket, in bytes', () => {
    const dataDir = `/${'ä'.repeat(40)}`;

    expect(socketDirectoryCandidates(dataDir, [`/${'t'.repeat(80)}`, '/tmp'])).toEqual([
      expect.stringMatching(/^\/tmp\/postgres-[0-9a-f]{20}$/),
    ]);
  });

  it('returns the same directory for the same data directory, and different ones for different ones', () => {
    const [a, b] = ['a', 'b'].map((letter) => `/${letter.repeat(100)}`);

    expect(socketDirectoryCandidates(a ?? '', ['/tmp'])).toEqual(
      socketDirectoryCandidates(a ?? '', ['/tmp']),
    );
    expect(socketDirectoryCandidates(a ?? '', ['/tmp'])).not.toEqual(
      socketDirectoryCandidates(b ?? '', ['/tmp']),
    );
  });
});
