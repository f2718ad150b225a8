import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { AddressPolicy } from './address-policy';
import { checkedConnector } from './checked-connector';
import { hostResolver } from './host-resolver';

const BODY = Buffer.from('0123456789abcdef'.repeat(4_096));
const TIMEOUT_MS = 10_000;

/** Responses that end with the connection, by how they say where the body ends. */
const RESPONSES: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  'a length': (body) => Buffer.concat([head(`Content-Length: ${String(BODY.length)}`), body]),
  chunks: (body) => {
    const size = Buffer.from(`${body.length.toString(16)}\r\n`);
    return Buffer.concat([head('Transfer-Encoding: chunked'), size, body, Buffer.from('\r\n')]);
  },
  'the end of the connection': (body) => Buffer.concat([head(), body]),
};

const END: Readonly<Record<string, string>> = { chunks: '0\r\n\r\n' };

function head(...lines: readonly string[]): Buffer {
  return Buffer.from(
    ['HTTP/1.1 200 OK', 'Connection: close', ...lines, '', ''].join('\r\n'),
    'latin1',
  );
}

let server: Server;
let agent: Agent;
/** What the server does once a request has begun to arrive. */
let respond: (socket: Socket) => void;
const sockets = new Set<Socket>();

beforeEach(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket
      .on('error', () => undefined)
      .on('data', () => {
        respond(socket);
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connect = checkedConnector(
    new AddressPolicy(['127.0.0.0/8'], 'WEBHOOK_ALLOWED_PRIVATE_RANGES'),
    {
      timeoutMs: TIMEOUT_MS,
      resolve: hostResolver(),
      maxResponseBytes: 10 * BODY.length,
    },
  );
  agent = new Agent({ connect, pipelining: 1 });
});

afterEach(async () => {
  await agent.destroy();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  server.close();
});

const send = (): Promise<Dispatcher.ResponseData> =>
  request(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`, {
    dispatcher: agent,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });

/** Lets what has arrived be processed. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await nextTurn();
}

async function readSlowly(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of body) {
    parts.push(part);
    await settle();
  }
  return Buffer.concat(parts);
}

describe('a connection that the server closes after its response', () => {
  it.each(Object.keys(RESPONSES))(
    'delivers a body that is read late, and ends with %s',
    async (framing) => {
      respond = (socket) => {
        socket.write(RESPONSES[framing]?.(BODY) ?? '');
        socket.end(END[framing] ?? '');
      };
      const { body } = await send();
      // The server has closed the connection before anything is read.
      await settle();
      expect((await readSlowly(body)).equals(BODY)).toBe(true);
    },
  );

  it.each(Object.keys(RESPONSES))(
    'delivers a large body that is read slowly, and ends with %s',
    async (framing) => {
      const large = Buffer.concat([BODY, BODY, BODY, BODY]);
      respond = (socket) => {
        const lines = { 'a length': `Content-Length: ${String(large.length)}` };
        const start =
          framing === 'a length' ? head(lines['a length']) : RESPONSES[framing]?.(large);
        socket.write(start ?? '');
        if (framing === 'a length') socket.write(large);
        socket.end(END[framing] ?? '');
      };
      const { body } = await send();
      expect((await readSlowly(body)).equals(large)).toBe(true);
    },
  );

  it.each(['a length', 'chunks'])(
    'fails if the connection ends before %s says that the body does',
    async (framing) => {
      respond = (socket) => {
        socket.end(RESPONSES[framing]?.(BODY.subarray(0, BODY.length - 1)) ?? '');
      };
      const { body } = await send();
      await settle();
      await expect(readSlowly(body)).rejects.toThrow();
    },
  );

  it('harms nobody if the body is never read', async () => {
    respond = (socket) => {
      socket.end(RESPONSES['a length']?.(BODY) ?? '');
    };
    const { body } = await send();
    await settle();
    body.on('error', () => undefined).destroy();
    respond = (socket) => {
      socket.end(RESPONSES['a length']?.(BODY) ?? '');
    };
    const { body: next } = await send();
    expect((await readSlowly(next)).equals(BODY)).toBe(true);
  });

  it('is not used again if it ends while it is idle', async () => {
    respond = (socket) => {
      const length = `Content-Length: ${String(BODY.length)}`;
      socket.write(`HTTP/1.1 200 OK\r\n${length}\r\n\r\n`);
      socket.write(BODY);
    };
    const { body } = await send();
    expect((await readSlowly(body)).equals(BODY)).toBe(true);
    const [first] = sockets;
    const closed = first ? once(first, 'close') : null;
    first?.end();
    await closed;
    const { body: next } = await send();
    expect((await readSlowly(next)).equals(BODY)).toBe(true);
    expect(sockets.size).toBe(2);
  });
});
