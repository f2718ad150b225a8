import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';
import {
  StreamedResponse,
  type ResponseSource,
  type StreamedResponseOptions,
} from './streamed-response';

const CHUNK = Buffer.alloc(64 * 1024);

class Endless implements ResponseSource {
  closed = 0;

  async *chunks(): AsyncGenerator<Buffer, Readonly<Record<string, string>>> {
    while (this.closed === 0) yield await Promise.resolve(CHUNK);
    return {};
  }

  close(): void {
    this.closed += 1;
  }
}

let server: Server;
let source: Endless;
/** Error that sending the response fails with. */
let failed: Promise<unknown>;
let received: IncomingMessage;

/** Requests an endless response whose client must read at this pace. */
async function ask(minStreamBytesPerSecond: number, maxStreamStallSeconds: number): Promise<void> {
  source = new Endless();
  const pace = { minStreamBytesPerSecond, maxStreamStallSeconds };
  await request(source, new AbortController().signal, pace);
}

async function request(
  from: ResponseSource,
  signal: AbortSignal,
  pace: StreamedResponseOptions['pace'],
): Promise<void> {
  const streamed = new StreamedResponse(from, {
    contentType: 'text/plain',
    etag: '"1"',
    trailers: [],
    spoolRoom: { tryAdd: () => true, remove: () => undefined },
    signal,
    pace,
  });
  server = createServer();
  failed = new Promise((resolve) => {
    server.on('request', (_request, response) => {
      streamed.send(response as Response).catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(503).end();
        resolve(error);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  received = await new Promise<IncomingMessage>((resolve) => get({ port }, resolve));
  received.on('error', () => undefined);
}

afterEach(() => {
  received.destroy();
  server.close();
});

const TOO_SLOW = { message: 'The client reads too slowly.' };

describe('StreamedResponse', () => {
  it('cuts off a client that has stopped reading, and closes the source of the response', async () => {
    await ask(1_024, 0.2);
    expect(await failed).toMatchObject(TOO_SLOW);
    expect(source.closed).toBeGreaterThan(0);
  });

  it('cuts off a client that reads too little', async () => {
    await ask(1_000_000_000, 0.2);
    const reads = setInterval(() => void received.read(1), 10);
    expect(await failed).toMatchObject(TOO_SLOW);
    clearInterval(reads);
  });

  it.each(['before it begins', 'before its first chunk'])(
    'is an error if it is ended %s, even if its source then seems complete',
    async (when) => {
      const controller = new AbortController();
      const reason = new Error('The permission was lost.');
      const end = (): void => {
        controller.abort(reason);
      };
      const first = Promise.resolve({ done: true as const, value: {} });
      const empty: ResponseSource = {
        chunks: () =>
          ({
            next: () => {
              end();
              return first;
            },
          }) as unknown as ReturnType<ResponseSource['chunks']>,
        close: () => undefined,
      };
      if (when === 'before it begins') end();
      await request(empty, controller.signal, {
        minStreamBytesPerSecond: 1,
        maxStreamStallSeconds: 10,
      });
      expect(received.statusCode).toBe(503);
      expect(await failed).toBe(reason);
    },
  );

  it('serves a client that reads fast enough, however often the response waits for it', async () => {
    await ask(1, 0.4);
    let readBytes = 0;
    let isOver = false;
    void failed.then(() => (isOver = true));
    while (readBytes < 50_000_000) {
      const part = received.read() as Buffer | null;
      if (part) readBytes += part.length;
      else await once(received, 'readable');
    }
    expect(isOver).toBe(false);
  });
});
