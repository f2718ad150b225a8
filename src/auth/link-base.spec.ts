import { configWithService, readConfig } from '../platform/config/app-config';
import { linkBase } from './link-base';

const config = readConfig({});

describe('the base of links', () => {
  it.each([
    ['http://localhost:3000', 'http://localhost:3000'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['http://localhost#evil', 'http://localhost'],
    ['http://localhost?evil', 'http://localhost'],
    ['http://localhost/evil/', 'http://localhost'],
    ['http://evil@localhost:81', 'http://localhost:81'],
  ])('is the origin of %s without PUBLIC_URL', (origin, base) => {
    expect(linkBase(config, origin)).toBe(base);
  });

  it.each(['http://data.example.com', 'http://localhost.example.com', 'http://', 'http://a b'])(
    'is none for %s without PUBLIC_URL',
    (origin) => {
      expect(() => linkBase(config, origin)).toThrow('PUBLIC_URL is not set.');
    },
  );

  it('is the own machine for a command beside the embedded database', () => {
    const files = { TLS_CERT_FILE: 'tls.crt', TLS_KEY_FILE: 'tls.key' };
    expect(linkBase(config)).toBe('http://localhost:3000');
    expect(linkBase(readConfig({ PORT: '3001', ...files }))).toBe('https://localhost:3001');
    expect(() => linkBase(readConfig({ PORT: '0' }))).toThrow('PUBLIC_URL is not set.');
  });

  it('is the URL of the running service for a command, unless PUBLIC_URL is set', () => {
    const running = 'http://localhost:3001';
    expect(linkBase(configWithService(config, running))).toBe(running);
    const other = readConfig({ PUBLIC_URL: 'https://data.example.com' });
    expect(linkBase(configWithService(other, running))).toBe('https://data.example.com');
  });

  it('is PUBLIC_URL, whatever the client sends', () => {
    const PUBLIC_URL = 'https://data.example.com';
    expect(linkBase(readConfig({ PUBLIC_URL }), 'http://localhost#evil')).toBe(PUBLIC_URL);
  });
});
