import { readConfig } from '../platform/config/app-config';
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

  it('is PUBLIC_URL, whatever the client sends', () => {
    const PUBLIC_URL = 'https://data.example.com';
    expect(linkBase(readConfig({ PUBLIC_URL }), 'http://localhost#evil')).toBe(PUBLIC_URL);
  });
});
