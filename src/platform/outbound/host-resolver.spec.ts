import type { LookupAddress } from 'node:dns';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { DnsServer } from '../../../test/support/dns-server';
import { AddressPolicy } from './address-policy';
import { hostResolver, type Resolver } from './host-resolver';
import { OutboundClient } from './outbound-client';

const FORBIDDEN =
  'The address is private, reserved or local. The service connects to it only if the operator allows it in WEBHOOK_ALLOWED_PRIVATE_RANGES.';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function dnsServer(answers: readonly (readonly string[])[] | 'silent'): Promise<DnsServer> {
  const server = await DnsServer.start(answers);
  open.push(server);
  return server;
}

const resolved = (resolve: Resolver, name: string): Promise<readonly LookupAddress[] | string> =>
  new Promise((done) => {
    resolve(name, (error, addresses) => {
      done(error?.code ?? addresses);
    });
  });

function client(resolve: Resolver): OutboundClient {
  const created = new OutboundClient({
    policy: new AddressPolicy([], 'WEBHOOK_ALLOWED_PRIVATE_RANGES'),
    timeoutMs: 10_000,
    resolve,
  });
  open.push(created);
  return created;
}

const post = (to: OutboundClient, url: string): ReturnType<OutboundClient['post']> =>
  to.post({ url, headers: {}, body: '' });

describe('hostResolver', () => {
  it('returns all addresses of a name, and asks again each time', async () => {
    const { address, asked } = await dnsServer([['1.1.1.1', '10.0.0.1'], ['10.0.0.2']]);
    const resolve = hostResolver({ servers: [address] });
    expect(await resolved(resolve, 'a.example')).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]);
    expect(await resolved(resolve, 'a.example')).toEqual([{ address: '10.0.0.2', family: 4 }]);
    expect(asked).toEqual(['a.example', 'a.example']);
  });

  it('returns an error for a name that does not exist', async () => {
    const { address } = await dnsServer([[]]);
    expect(await resolved(hostResolver({ servers: [address] }), 'a.example')).toBe('ENOTFOUND');
  });

  it('knows the names of the hosts file', async () => {
    const { address, asked } = await dnsServer([['1.1.1.1']]);
    const found = await resolved(hostResolver({ servers: [address] }), 'LOCALHOST');
    expect(found).toContainEqual({ address: '127.0.0.1', family: 4 });
    expect(asked).toEqual([]);
  });

  it('lets a delivery to a name with a private address fail, also beside a public one', async () => {
    for (const addresses of [['10.0.0.1'], ['1.1.1.1', '169.254.169.254']]) {
      const { address } = await dnsServer([addresses]);
      const result = await post(client(hostResolver({ servers: [address] })), 'https://a.example/');
      expect(result).toMatchObject({ status: null, error: FORBIDDEN });
    }
  });

  it('says that a name does not resolve, whatever the reason', async () => {
    const { address } = await dnsServer([[]]);
    const closed = await DnsServer.start('silent');
    const { address: closedAddress } = closed;
    await closed.close();
    for (const server of [address, closedAddress]) {
      const result = await post(client(hostResolver({ servers: [server] })), 'https://a.example/');
      expect(result).toMatchObject({ status: null, error: 'The host name does not resolve.' });
    }
  });

  it('occupies no thread of the process while name servers are silent', async () => {
    const { address, asked } = await dnsServer('silent');
    const blocked = client(hostResolver({ servers: [address], timeoutMs: 250 }));
    let ended = 0;
    const results = Array.from({ length: 16 }, async (_, n) => {
      const result = await post(blocked, `https://n${String(n)}.example/`);
      ended += 1;
      return result;
    });
    await new Promise((resolve) => setImmediate(resolve));
    await promisify(gzip)('text');
    expect(ended).toBe(0);
    const error = 'The host name does not resolve.';
    for (const result of await Promise.all(results)) expect(result).toMatchObject({ error });
    expect(new Set(asked).size).toBe(16);
  });
});
