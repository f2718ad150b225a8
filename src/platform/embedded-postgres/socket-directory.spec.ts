import { socketDirectoryCandidates } from './socket-directory';

describe('socketDirectoryCandidates', () => {
  it('prefers the data directory', () => {
    expect(socketDirectoryCandidates('/data', ['/tmp'])[0]).toBe('/data/postgres-socket');
  });

  it('leaves out what is too long for a socket, in bytes', () => {
    const dataDir = `/${'ä'.repeat(40)}`;

    expect(socketDirectoryCandidates(dataDir, [`/${'t'.repeat(80)}`, '/tmp'])).toEqual([
      expect.stringMatching(/^\/tmp\/postgres-[0-9a-f]{20}$/),
    ]);
  });

  it('names the same directory for the same data directory, and another for another', () => {
    const [a, b] = ['a', 'b'].map((letter) => `/${letter.repeat(100)}`);

    expect(socketDirectoryCandidates(a ?? '', ['/tmp'])).toEqual(
      socketDirectoryCandidates(a ?? '', ['/tmp']),
    );
    expect(socketDirectoryCandidates(a ?? '', ['/tmp'])).not.toEqual(
      socketDirectoryCandidates(b ?? '', ['/tmp']),
    );
  });
});
