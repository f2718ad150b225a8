import { mayPass } from './share';

describe('mayPass', () => {
  it.each(['ECONNREFUSED', 'ENOENT', 'EPIPE', 'ECONNRESET', '57P01', '57P03', '57014', '53300'])(
    'returns true for %s',
    (code) => {
      expect(mayPass(Object.assign(new Error(), { code }))).toBe(true);
    },
  );

  it('returns true for a connection that ended without an error code', () => {
    expect(mayPass(new Error('Connection terminated unexpectedly'))).toBe(true);
  });

  it.each(['28000', '3D000', '42501', 'XX000'])('returns false for %s', (code) => {
    expect(mayPass(Object.assign(new Error(), { code }))).toBe(false);
  });
});
