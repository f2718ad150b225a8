import { isLoopbackHost } from './loopback-host';

describe('isLoopbackHost', () => {
  it.each(['localhost', 'LOCALHOST', 'app.localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]'])(
    'is true for %s',
    (host) => {
      expect(isLoopbackHost(host)).toBe(true);
    },
  );

  it.each(['', 'localhost.example.com', '0.0.0.0', '10.0.0.1', '::', '127.example.com', '[::2]'])(
    'is false for %j',
    (host) => {
      expect(isLoopbackHost(host)).toBe(false);
    },
  );
});
