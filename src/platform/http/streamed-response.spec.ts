import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';
import { StreamedResponse, type ResponseSource } from './streamed-response';

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
  const streamed = new StreamedResponse(source, {
    contentType: 'text/plain',
    etag: '"1"',
    trailers: [],
    spoolRoom: { tryAdd: () => true, remove: () => undefined },
    signal: new AbortController().signal,
    pace: { minStreamBytesPerSecond, maxStreamStallSeconds },
  });
  server = createServer();
  failed = new Promise((resolve) => {
    server.on('request', (_request, response) => {
      streamed.send(response as Response).catch(resolve);
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
