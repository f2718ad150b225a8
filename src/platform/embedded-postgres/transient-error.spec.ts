import { mayPass } from './transient-error';

describe('mayPass', () => {
  it.each(['ECONNREFUSED', 'ENOENT', 'EPIPE', 'ECONNRESET', '57P01', '57P03', '57014', '53300'])(
    'waits after %s',
    (code) => {
      expect(mayPass(Object.assign(new Error(), { code }))).toBe(true);
    },
  );

  it('waits after a connection that ended without a word', () => {
    expect(mayPass(new Error('Connection terminated unexpectedly'))).toBe(true);
  });

  it.each(['28000', '3D000', '42501', 'XX000'])('gives up after %s', (code) => {
    expect(mayPass(Object.assign(new Error(), { code }))).toBe(false);
  });
});
