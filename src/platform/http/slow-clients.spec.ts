import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually';
import { closeAfterRequest, socketProgress } from './slow-clients';

/** More bytes than the network accepts for a client that does not read. */
const LARGE_WRITE = Buffer.alloc(64 * 1024 * 1024);

/** Turns of the event loop in which a connection is closed and reset. */
const TURNS = 50;

const HEAD = 'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n';

describe('socketProgress', () => {
  let server: Server;
  let sender: Socket;
  let reader: Socket;

  beforeEach(async () => {
    server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    reader = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    [sender] = (await once(server, 'connection')) as [Socket];
  });

  afterEach(() => {
    sender.destroy();
    reader.destroy();
    server.close();
  });

  it('returns how much of one large write the client has received', async () => {
    sender.write(LARGE_WRITE);
    const stuck = await eventually(() => {
      const progress = socketProgress(sender);
      return progress?.isBlocked === true && progress;
    });
    expect(stuck.takenBytes).toBeGreaterThan(0);
    expect(stuck.takenBytes).toBeLessThan(LARGE_WRITE.length);
    let readBytes = 0;
    reader.on('data', (part: Buffer) => {
      readBytes += part.length;
      if (readBytes > LARGE_WRITE.length / 2) reader.pause();
    });
    reader.resume();
    const further = await eventually(() => {
      const progress = socketProgress(sender);
      return (progress?.takenBytes ?? 0) > LARGE_WRITE.length / 2 && progress;
    });
    expect(further?.isBlocked).toBe(true);
    reader.removeAllListeners('data').resume();
    await eventually(() => socketProgress(sender)?.isBlocked === false);
    expect(socketProgress(sender)?.takenBytes).toBe(LARGE_WRITE.length);
  });

  it('returns null for a closed socket', async () => {
    sender.destroy();
    await once(sender, 'close');
    expect(socketProgress(sender)).toBeNull();
    expect(socketProgress(null)).toBeNull();
  });
});

describe('a connection that ends with a response', () => {
  let server: HttpServer;
  let response: ServerResponse | undefined;

  beforeAll(async () => {
    // Responds before it has received the body.
    server = createHttpServer((request, started) => {
      closeAfterRequest(request);
      response = started;
      started.end('early');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(() => server.close());

  /** Sends a start of a request, and the rest after its response. @returns what comes back. */
  async function exchange(start: string, rest: readonly string[]): Promise<string> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.pause();
    let received = '';
    let failure: Error | undefined;
    socket.on('error', (error) => {
      failure = error;
    });
    const responded = once(server, 'request');
    socket.write(start);
    await responded;
    if (response?.closed === false) await once(response, 'close');
    for (const part of rest) {
      // A server that closes the connection does so now, and answers the next part with a reset.
      for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
      await new Promise((sent) => socket.write(part, sent));
    }
    // Only now the client reads.
    socket.on('data', (chunk) => {
      received += String(chunk);
    });
    socket.resume();
    if (!socket.closed) await new Promise((ended) => socket.once('close', ended));
    if (failure) throw failure;
    return received;
  }

  it.each([
    ['a length', `${HEAD}Content-Length: 4\r\n\r\na`, ['b', 'c', 'd']],
    ['chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n`, ['1\r\nb\r\n', '0\r\n\r\n']],
  ])(
    'waits for the rest of a body with %s, so that its client reads the response',
    async (_, start, rest) => {
      expect(await exchange(start, rest)).toMatch(/^HTTP\/1\.1 200 OK[^]*early/);
    },
  );

  it('ends at once if the request is complete', async () => {
    expect(await exchange(`${HEAD}Content-Length: 1\r\n\r\na`, [])).toContain('early');
    expect(await exchange(`${HEAD}\r\n`, [])).toContain('early');
  });
});
