import { AddressPolicy, hostOf } from './address-policy';

const none = new AddressPolicy([], 'WEBHOOK_ALLOWED_PRIVATE_RANGES');

/** The address that a URL leads to, as the WHATWG parser that clients use reads it. */
const literal = (host: string): string => hostOf(new URL(`https://${host}/`));

describe('AddressPolicy', () => {
  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '127.0.0.1.',
    '１２７.0.0.1',
    '127。0。0。1',
    '①②⑦.⓪.⓪.①',
    '%31%32%37.0.0.1',
    '0.0.0.0',
    '0',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '100.64.0.1',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.8',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.175.48.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a00:1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:168.63.129.16]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '[::ffff:0:127.0.0.1]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[64:ff9b::7f00:1]',
    '[64:ff9b::169.254.169.254]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2002:a9fe:a9fe::]',
    '[fd00:ec2::254]',
    '[2001::1]',
    '[2001:2::1]',
    '[2001:20::1]',
    '[3fff::1]',
    '[2001:db8::1]',
    '[1::1]',
    '[4000::1]',
  ])('rejects https://%s/', (host) => {
    expect(none.accepts(literal(host))).toBe(false);
  });

  it.each(['1.1.1.1', '93.184.215.14', '[2606:4700:4700::1111]', '[::ffff:1.1.1.1]'])(
    'accepts https://%s/',
    (host) => {
      expect(none.accepts(literal(host))).toBe(true);
    },
  );

  it.each(['', 'localhost', 'example.com', '1.1.1.1 ', '1.1.1.1/8', 'fe80::1%eth0'])(
    'rejects "%s", which is no public address',
    (text) => {
      expect(none.accepts(text)).toBe(false);
    },
  );

  it('accepts the private ranges that the operator allows, in every notation, and no others', () => {
    const policy = new AddressPolicy(
      ['127.0.0.0/8', '10.1.2.3', 'fd00::/8', '::ffff:192.168.0.0/112'],
      'WEBHOOK_ALLOWED_PRIVATE_RANGES',
    );
    const accepted = ['127.0.0.1', '::ffff:127.1.2.3', '10.1.2.3', 'fd00::1', '192.168.3.4'];
    expect(accepted.filter((address) => !policy.accepts(address))).toEqual([]);
    expect(accepted.filter((address) => !policy.isAllowedPrivate(address))).toEqual([]);
    const rejected = ['10.1.2.4', '172.16.0.1', '::1', 'fc00::1', '169.254.169.254'];
    expect(rejected.filter((address) => policy.accepts(address))).toEqual([]);
    expect([policy.accepts('1.1.1.1'), policy.isAllowedPrivate('1.1.1.1')]).toEqual([true, false]);
  });
});
