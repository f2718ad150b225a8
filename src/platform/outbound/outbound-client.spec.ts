import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { AddressPolicy } from './address-policy';
import { OutboundClient, type OutboundResult } from './outbound-client';

const LOOPBACK = new AddressPolicy(['127.0.0.0/8', '::1'], 'WEBHOOK_ALLOWED_PRIVATE_RANGES');
const FORBIDDEN =
  'The address is private, reserved or local. The service connects to it only if the operator allows it in WEBHOOK_ALLOWED_PRIVATE_RANGES.';

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function listen(handle: RequestListener, host = '127.0.0.1'): Promise<[Server, number]> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  open.push({
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return [server, (server.address() as AddressInfo).port];
}

interface ClientOptions {
  readonly policy?: AddressPolicy;
  readonly timeoutMs?: number;
  /** Addresses that each lookup returns, one after another. */
  readonly answers?: readonly (readonly string[])[];
}

function client({ policy = LOOPBACK, timeoutMs = 10_000, answers }: ClientOptions): OutboundClient {
  let lookups = 0;
  const created = new OutboundClient({
    policy,
    timeoutMs,
    ...(answers && {
      resolve: (_name, callback) => {
        const found = answers[Math.min(lookups, answers.length - 1)] ?? [];
        lookups += 1;
        const addresses = found.map((address): LookupAddress => ({
          address,
          family: address.includes(':') ? 6 : 4,
        }));
        callback(null, addresses);
      },
    }),
  });
  open.push(created);
  return created;
}

const post = (to: OutboundClient, url: string): Promise<OutboundResult> =>
  to.post({ url, headers: { 'content-type': 'text/plain' }, body: 'hello' });

describe('OutboundClient', () => {
  it('posts the body and returns the status and the beginning of the response', async () => {
    let got = '';
    const [, port] = await listen((request, response) => {
      request.on('data', (chunk: Buffer) => (got += chunk.toString()));
      request.on('end', () =>
        response.writeHead(202, { 'retry-after': '7' }).end('ä'.repeat(1_000)),
      );
    });
    const result = await post(client({}), `http://127.0.0.1:${String(port)}/`);
    expect([got, result]).toEqual([
      'hello',
      {
        status: 202,
        durationMs: expect.any(Number) as number,
        response: 'ä'.repeat(512),
        error: null,
        retryAfterMs: 7_000,
      },
    ]);
  });

  it.each([
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    'localhost',
  ])('does not connect to %s unless it is allowed', async (host) => {
    let connections = 0;
    const [server, port] = await listen((_request, response) => response.end(), '::');
    server.on('connection', () => (connections += 1));
    for (const scheme of ['http', 'https']) {
      const blocked = client({ policy: new AddressPolicy([], 'WEBHOOK_ALLOWED_PRIVATE_RANGES') });
      const result = await post(blocked, `${scheme}://${host}:${String(port)}/`);
      expect(result).toMatchObject({ status: null, error: FORBIDDEN });
    }
    expect(connections).toBe(0);
  });

  it('does not connect to a name with a forbidden address among others', async () => {
    let connections = 0;
    const [server, port] = await listen((_request, response) => response.end());
    server.on('connection', () => (connections += 1));
    const policy = new AddressPolicy([], 'WEBHOOK_ALLOWED_PRIVATE_RANGES');
    for (const addresses of [['127.0.0.1'], ['1.1.1.1', '127.0.0.1'], ['::ffff:127.0.0.1'], []]) {
      const blocked = client({ policy, answers: [addresses] });
      const result = await post(blocked, `https://example.com:${String(port)}/`);
      expect(result).toMatchObject({ status: null, error: FORBIDDEN });
    }
    expect(connections).toBe(0);
  });

  it('checks the addresses of a name with every connection, so that rebinding has no effect', async () => {
    let requests = 0;
    const [, port] = await listen((_request, response) => {
      requests += 1;
      response.setHeader('connection', 'close').end();
    });
    const policy = new AddressPolicy(['127.0.0.1'], 'WEBHOOK_ALLOWED_PRIVATE_RANGES');
    const rebound = client({ policy, answers: [['127.0.0.1'], ['127.0.0.2']] });
    const url = `http://example.com:${String(port)}/`;
    expect(await post(rebound, url)).toMatchObject({ status: 200 });
    expect(await post(rebound, url)).toMatchObject({ status: null, error: FORBIDDEN });
    expect(requests).toBe(1);
  });

  it('sends plain HTTP to allowed private addresses only', async () => {
    for (const host of ['example.com', '1.1.1.1']) {
      const result = await post(client({ answers: [['1.1.1.1']] }), `http://${host}/`);
      expect(result).toMatchObject({ status: null, error: FORBIDDEN });
    }
  });

  it('does not follow redirects', async () => {
    const paths: (string | undefined)[] = [];
    const [, port] = await listen((request, response) => {
      paths.push(request.url);
      response.writeHead(302, { location: '/next' }).end();
    });
    const result = await post(client({}), `http://127.0.0.1:${String(port)}/first`);
    expect([result.status, paths]).toEqual([302, ['/first']]);
  });

  it('ignores proxies of the environment', async () => {
    let proxied = 0;
    const [, proxy] = await listen((_request, response) => {
      proxied += 1;
      response.end();
    });
    const [, port] = await listen((_request, response) => response.writeHead(204).end());
    const names = ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY'];
    for (const name of names) process.env[name] = `http://127.0.0.1:${String(proxy)}`;
    try {
      const result = await post(client({}), `http://127.0.0.1:${String(port)}/`);
      expect([result.status, proxied]).toEqual([204, 0]);
    } finally {
      for (const name of names) Reflect.deleteProperty(process.env, name);
    }
  });

  it('ends after its timeout if no response comes', async () => {
    const [, port] = await listen(() => undefined);
    const result = await post(client({ timeoutMs: 100 }), `http://127.0.0.1:${String(port)}/`);
    expect(result).toMatchObject({
      status: null,
      error: 'The endpoint did not respond within 0.1 seconds.',
    });
    expect(result.durationMs).toBeLessThan(5_000);
  });

  it('ends after its timeout if the headers arrive one byte at a time', async () => {
    const server = createTcpServer((socket) => {
      const timer = setInterval(() => socket.write('H'), 5);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          clearInterval(timer);
        });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(server);
    const { port } = server.address() as AddressInfo;
    const result = await post(client({ timeoutMs: 200 }), `http://127.0.0.1:${String(port)}/`);
    expect(result.status).toBeNull();
    expect(result.durationMs).toBeLessThan(5_000);
  });

  it('cuts an endless body after 64 KiB and keeps its first 1,024 bytes', async () => {
    let sent = 0;
    const closed: Promise<void>[] = [];
    const [, port] = await listen((_request, response) => {
      closed.push(new Promise((resolve) => response.on('close', resolve)));
      const push = (): void => {
        while (!response.destroyed && response.write('x'.repeat(16_384))) sent += 16_384;
      };
      response.on('drain', push);
      push();
    });
    const result = await post(client({}), `http://127.0.0.1:${String(port)}/`);
    expect(result).toMatchObject({ status: 200, response: 'x'.repeat(1_024) });
    await Promise.all(closed);
    expect(sent).toBeLessThan(20_000_000);
  });

  it('stops waiting for the rest of a body, and returns the status', async () => {
    const [, port] = await listen((_request, response) => void response.writeHead(200).write('so'));
    const result = await post(client({ timeoutMs: 300 }), `http://127.0.0.1:${String(port)}/`);
    expect(result).toMatchObject({ status: 200, response: 'so', error: null });
    expect(result.durationMs).toBeLessThan(5_000);
  });

  it('replaces NUL in a response, which PostgreSQL does not store', async () => {
    const [, port] = await listen((_request, response) => response.end('a\0b'));
    const result = await post(client({}), `http://127.0.0.1:${String(port)}/`);
    expect(result.response).toBe('a\uFFFDb');
  });

  it('says that a name does not resolve', async () => {
    const result = await post(client({}), 'https://receiver.invalid/');
    expect(result.status).toBeNull();
    expect(result.error).toMatch(/^The host name does not resolve/);
  });

  it('says that a connection was refused', async () => {
    const [server, port] = await listen(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const result = await post(client({}), `http://127.0.0.1:${String(port)}/`);
    expect(result).toMatchObject({ status: null, error: 'The connection was refused.' });
  });
});
