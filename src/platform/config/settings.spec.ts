import { ExpressAdapter } from '@nestjs/platform-express';
import { readConfig } from './app-config';

const proxies = (value: string): readonly string[] =>
  readConfig({ TRUSTED_PROXIES: value }).trustedProxies;

describe('TRUSTED_PROXIES', () => {
  it.each([
    '10.0.0.1',
    '10.0.0.0/8',
    '0.0.0.0/1',
    '10.0.0.1/32',
    '10.0.0.0/08',
    '::1',
    '::/1',
    '::1/128',
    'FD00::/8',
    '::ffff:10.0.0.1',
    '::FFFF:10.0.0.1',
    '::ffff:10.0.0.0/104',
    '::ffff:a00:1',
    '10.0.0.0/8, ::1 ,192.168.0.1',
  ])('accepts %s, as Express does', (value) => {
    const trusted = proxies(value);
    expect(trusted).toEqual(value.split(',').map((part) => part.trim()));
    expect(() => void new ExpressAdapter().set('trust proxy', [...trusted])).not.toThrow();
  });

  it.each(['0.0.0.0/0', '::/0', '10.0.0.0/00', '10.0.0.1, ::/0'])(
    'rejects %s, which includes every address',
    (value) => {
      expect(() => proxies(value)).toThrow(
        `Wrong setting: TRUSTED_PROXIES must not hold a range of /0: it would trust every client (it is "${value}")`,
      );
    },
  );

  it.each(['::10.0.0.1', '64:ff9b::1.2.3.4/96', 'fe80::1%eth0', '10.0.0.0/8/8', '10.0.0.0/'])(
    'rejects %s',
    (value) => {
      expect(() => proxies(value)).toThrow(
        'Wrong setting: TRUSTED_PROXIES must be addresses or CIDR ranges, separated by commas',
      );
    },
  );
});
