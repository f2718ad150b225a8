import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Agent } from 'undici';
import { newAuthority, newPair, type Pair } from '../../../test/support/certificates';
import { AddressPolicy } from './address-policy';
import { OutboundClient, type OutboundOptions, type OutboundResult } from './outbound-client';

const LOOPBACK = new AddressPolicy(['127.0.0.0/8'], 'WEBHOOK_ALLOWED_PRIVATE_RANGES');
const TIMEOUT_MS = 1_000;

const open: { close(): unknown }[] = [];

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** Starts a server on this machine. @returns its port. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
}

const listenHttp = (handle: RequestListener): Promise<number> => listen(createHttpServer(handle));

/** Starts a server that does `handle` with each connection once a request has begun to arrive. */
const listenTcp = (handle: (socket: Socket) => void): Promise<number> =>
  listen(
    createTcpServer((socket) =>
      socket.once('data', () => {
        handle(socket);
      }),
    ),
  );

/** What an endpoint can send until it notices that it was cut, with the buffers of the kernel. */
const MAX_FLOOD_BYTES = 20_000_000;

interface Flood {
  readonly port: number;
  /** Bytes that were sent, once the connection is closed. */
  readonly bytes: Promise<number>;
}

/** Starts an endpoint that repeats a text without end, as fast as the other side reads. */
async function floodedBy(start: string, repeated: string): Promise<Flood> {
  const chunk = Buffer.from(repeated.repeat(Math.ceil(65_536 / repeated.length)));
  let end: (bytes: number) => void;
  const bytes = new Promise<number>((resolve) => (end = resolve));
  const port = await listenTcp((socket) => {
    let sent = 0;
    const push = (): void => {
      while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
    };
    socket.on('close', () => {
      end(sent);
    });
    socket.on('drain', push);
    socket.write(start);
    push();
  });
  return { port, bytes };
}

function client(options: Partial<OutboundOptions> = {}): OutboundClient {
  const created = new OutboundClient({ policy: LOOPBACK, timeoutMs: TIMEOUT_MS, ...options });
  open.push(created);
  return created;
}

const post = (to: OutboundClient, url: string): Promise<OutboundResult> =>
  to.post({ url, headers: { 'content-type': 'text/plain' }, body: 'hello' });

const postTo = (port: number): Promise<OutboundResult> =>
  post(client(), `http://127.0.0.1:${String(port)}/`);

describe('an endpoint over TLS', () => {
  const resolveHere: OutboundOptions['resolve'] = (_name, callback) => {
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  let authority: Pair;
  let right: Pair;

  beforeAll(async () => {
    authority = await newAuthority();
    right = await newPair('receiver.test', authority);
  });

  const listenTls = ({ cert, private: key }: Pair, requests: string[] = []): Promise<number> =>
    listen(
      createHttpsServer({ cert, key }, (request, response) => {
        requests.push(request.url ?? '');
        response.writeHead(204).end();
      }),
    );

  const postTls = (
    port: number,
    trusted?: Pair,
    host = 'receiver.test',
  ): Promise<OutboundResult> => {
    const options = { resolve: resolveHere, ...(trusted && { ca: trusted.cert }) };
    return post(client(options), `https://${host}:${String(port)}/`);
  };

  it('is accepted with a certificate of a trusted authority for its name', async () => {
    const requests: string[] = [];
    const result = await postTls(await listenTls(right, requests), authority);
    expect([result.status, result.error, requests]).toEqual([204, null, ['/']]);
  });

  it('gets no request with a certificate of an unknown authority or for another name', async () => {
    const requests: string[] = [];
    const [self, port] = await Promise.all([newPair('receiver.test'), listenTls(right, requests)]);
    const failures = await Promise.all([
      postTls(port),
      postTls(await listenTls(self, requests), authority),
      postTls(port, authority, 'other.test'),
      postTls(port, authority, '127.0.0.1'),
    ]);
    const failed = (code: string): string =>
      `TLS failed (${code}). The endpoint needs a certificate of a public authority.`;
    expect(failures.map(({ status, error }) => [status, error])).toEqual([
      [null, failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
      [null, failed('DEPTH_ZERO_SELF_SIGNED_CERT')],
      [null, failed('ERR_TLS_CERT_ALTNAME_INVALID')],
      [null, failed('ERR_TLS_CERT_ALTNAME_INVALID')],
    ]);
    expect(requests).toEqual([]);
  });

  it('gets no request if it does not speak TLS, or does not respond', async () => {
    const plain = await listenHttp((_request, response) => response.end());
    const failed = await postTls(plain, authority);
    expect(failed.status).toBeNull();
    expect(failed.error).toMatch(/^TLS failed \(/);
    const silent = await listen(createTcpServer(() => undefined));
    const impatient = client({ resolve: resolveHere, ca: authority.cert, timeoutMs: 100 });
    expect(await post(impatient, `https://receiver.test:${String(silent)}/`)).toMatchObject({
      status: null,
      error: 'The endpoint did not respond within 0.1 seconds.',
    });
  });
});

describe('an endpoint that misbehaves', () => {
  it('does not make the service decompress a response', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const port = await listenHttp((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const result = await postTo(port);
    expect(result).toMatchObject({ status: 200, error: null });
    expect(result.response.length).toBeLessThanOrEqual(1_024);
    // The first byte of gzip.
    expect(result.response.charCodeAt(0)).toBe(0x1f);
  });

  it('keeps its status if it resets the connection in the middle of a body', async () => {
    const port = await listenTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nbegun', () =>
        socket.resetAndDestroy(),
      );
    });
    const result = await postTo(port);
    expect([result.status, result.error]).toEqual([200, null]);
  });

  it('fails if it closes or resets the connection before or in the headers of a response', async () => {
    const error = 'The connection was closed before the response.';
    for (const begun of ['', 'HTTP/1.1 200 OK\r\nserver: x']) {
      for (const end of ['end', 'resetAndDestroy'] as const) {
        const port = await listenTcp((socket) => {
          if (begun === '') socket[end]();
          else socket.write(begun, () => socket[end]());
        });
        expect(await postTo(port)).toMatchObject({ status: null, error });
      }
    }
  });

  it.each([
    ['blank lines', '', '\r\n'],
    ['early hints', '', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'],
    ['a header', 'HTTP/1.1 200 OK\r\nx: ', 'x'],
    ['headers', 'HTTP/1.1 200 OK\r\n', 'x: y\r\n'],
    ['what is not HTTP', '', 'SSH-2.0-x\r\n'],
  ])('is cut if it sends %s without end', async (_name, start, repeated) => {
    const flooded = await floodedBy(start, repeated);
    const result = await postTo(flooded.port);
    expect(result.status).toBeNull();
    expect(result.error).toMatch(
      /^The (response is too large|headers of the response are too large|response is not valid HTTP)\.$/,
    );
    expect(await flooded.bytes).toBeLessThan(MAX_FLOOD_BYTES);
  });

  it.each([
    ['extensions of a chunk', '5;', 'x'],
    ['trailers', '0\r\n', 'x: y\r\n'],
    ['chunks of one byte', '', '1\r\nx\r\n'],
  ])('keeps its status and is cut if it sends %s without end', async (_name, start, repeated) => {
    const head = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n`;
    const flooded = await floodedBy(head + start, repeated);
    const result = await postTo(flooded.port);
    expect([result.status, result.error]).toEqual([200, null]);
    expect(await flooded.bytes).toBeLessThan(MAX_FLOOD_BYTES);
  });

  it('gets a new connection if it sends more than it was asked for', async () => {
    let connections = 0;
    const port = await listenTcp((socket) => {
      connections += 1;
      const response = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n';
      socket.write(`${response}${String(connections)}!${response}no`);
    });
    const to = client();
    const url = `http://127.0.0.1:${String(port)}/`;
    expect([(await post(to, url)).response, (await post(to, url)).response]).toEqual(['1!', '2!']);
  });

  it('delays no request of others to the same host', async () => {
    const port = await listenHttp((request, response) => {
      if (request.url === '/quick') response.writeHead(204).end();
    });
    const [server] = open;
    const to = client({ timeoutMs: 60_000 });
    const url = `http://127.0.0.1:${String(port)}`;
    let ended = 0;
    const slow = Array.from({ length: 40 }, async () => {
      const { status } = await post(to, `${url}/slow`);
      ended += 1;
      return status;
    });
    expect((await post(to, `${url}/quick`)).status).toBe(204);
    expect(ended).toBe(0);
    await server?.close();
    for (const status of await Promise.all(slow)) expect(status).toBeNull();
  });

  it('leaves nothing behind once its connections are closed', async () => {
    const port = await listenHttp((_request, response) =>
      response.setHeader('connection', 'close').end(),
    );
    const to = client({
      resolve: (_name, callback) => {
        callback(null, [{ address: '127.0.0.1', family: 4 }]);
      },
    });
    for (let n = 0; n < 100; n += 1) {
      const host = n % 2 === 0 ? `n${String(n)}.test:${String(port)}` : `n${String(n)}.test:1`;
      await post(to, `http://${host}/`);
    }
    const { agent } = to as unknown as { agent: Agent };
    expect(Object.keys(agent.stats).length).toBeLessThan(20);
  });
});
