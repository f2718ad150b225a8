import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Response } from 'express';
import { StreamedAnswer, type AnswerSource } from './streamed-answer';

class Endless implements AnswerSource {
  closed = 0;

  async *chunks(): AsyncGenerator<Buffer, Readonly<Record<string, string>>> {
    while (this.closed === 0) yield await Promise.resolve(Buffer.alloc(64 * 1024));
    return {};
  }

  close(): void {
    this.closed += 1;
  }
}

it('A client that has stopped reading is given up, and what the answer held is let go of', async () => {
  const source = new Endless();
  const answer = new StreamedAnswer(source, {
    contentType: 'text/plain',
    etag: '"1"',
    trailers: [],
    spoolBytes: 2 ** 30,
    signal: new AbortController().signal,
    stalledMs: 50,
  });
  const server = createServer();
  const failed = new Promise((resolve) => {
    server.on('request', (_request, response) => {
      answer.send(response as Response).catch(resolve);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const received = await new Promise<IncomingMessage>((resolve) => get({ port }, resolve));
  received.on('error', () => undefined);
  expect(await failed).toMatchObject({ message: 'The client has stopped reading.' });
  expect(source.closed).toBeGreaterThan(0);
  received.destroy();
  server.close();
});
