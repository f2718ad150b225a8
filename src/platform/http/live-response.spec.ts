import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { Response } from 'express';
import type { CountedResponse } from '../load/load';
import { TextResponse } from './live-response';

describe('TextResponse', () => {
  it('releases its source if the client left before it is sent', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const request = get({ port, host: '127.0.0.1', agent: false }).on('error', () => undefined);
    const [, response] = (await once(server, 'request')) as [unknown, Response & CountedResponse];
    Object.assign(response, { reserve: () => undefined });
    const closed = once(response, 'close');
    request.destroy();
    await closed;
    const controller = new AbortController();
    const close = jest.fn();
    const source = {
      async *texts(signal: AbortSignal) {
        yield 'first';
        if (!signal.aborted) await once(signal, 'abort');
      },
      close,
    };
    await new TextResponse(source, 'application/x-ndjson', controller).send(response);
    expect([controller.signal.aborted, close.mock.calls.length]).toEqual([true, 1]);
    server.close();
  });
});
