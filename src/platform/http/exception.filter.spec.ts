import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ArgumentsHost } from '@nestjs/common';
import type { Logger } from '../logging/logger';
import { AppExceptionFilter } from './exception.filter';

const reported: unknown[] = [];
const logger = { pino: { error: (entry: unknown) => reported.push(entry) } } as unknown as Logger;

let server: Server;
/** What the handler of a request does to the response before it fails. */
let prepare: (response: ServerResponse) => void;

const hostOf = (request: IncomingMessage, response: ServerResponse): ArgumentsHost =>
  ({
    getArgByIndex: (index: number) => [request, response][index],
  }) as ArgumentsHost;

beforeAll(async () => {
  server = createServer((request, response) => {
    prepare(response);
    new AppExceptionFilter(logger).catch(new Error('failed'), hostOf(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => server.close());

const ask = (): Promise<Response> =>
  fetch(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);

describe('AppExceptionFilter', () => {
  it('removes all headers that describe the response that failed', async () => {
    prepare = (response) => {
      response.setHeader('X-Request-Id', 'r1');
      response.setHeader('RateLimit', '"key";r=1;t=1');
      for (const name of ['Content-Encoding', 'Trailer', 'Link', 'ETag', 'Preference-Applied'])
        response.setHeader(name, 'gzip');
      response.setHeader('Content-Length', 3);
      response.setHeader('Content-Disposition', 'attachment');
    };
    const response = await ask();
    expect([response.status, ((await response.json()) as { error: unknown }).error]).toMatchObject([
      500,
      { code: 'internal' },
    ]);
    expect([...response.headers.keys()].sort()).toEqual(
      ['cache-control', 'connection', 'content-length', 'content-type', 'date']
        .concat('keep-alive', 'ratelimit', 'x-request-id')
        .sort(),
    );
  });

  it('reports an error of its own and cuts the connection, because nothing else would handle it', async () => {
    prepare = (response) => {
      response.end = () => {
        throw new Error('not sent');
      };
    };
    await expect(ask()).rejects.toThrow('fetch failed');
    expect(reported.at(-1)).toMatchObject({ err: { message: 'not sent' } });
  });
});
