import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isApiError } from './api-error';
import { request } from './client';
import { forgetCsrfToken, keepCsrfToken } from './csrf';
import { onApiEvent } from './events';
import type { Session } from './types';

const SESSION: Session = {
  user: { id: 'u1', email: 'a@example.com', role: 'editor', workspaceRoles: {} },
  account: { id: 'a1', name: 'A' },
  lacksSecondFactor: false,
  csrfToken: 'new',
  expiresAt: '2026-11-28T12:00:00Z',
};

type Handler = (incoming: IncomingMessage, response: ServerResponse) => void;

const realFetch = globalThis.fetch;
let server: Server;
let handle: Handler;
let kinds: string[];
let endListening: () => void;

const respond = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', ETag: '"7-2"' });
  response.end(JSON.stringify(body));
};

const failure = (code: string): object => ({ error: { code, message: 'No.', requestId: 'r1' } });

beforeEach(async () => {
  server = createServer((incoming, response) => {
    handle(incoming, response);
  }).listen(0);
  await once(server, 'listening');
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  // A browser completes paths by the page's own origin.
  globalThis.fetch = (path, init) => realFetch(new URL(path as string, origin), init);
  kinds = [];
  endListening = onApiEvent(({ kind }) => kinds.push(kind));
});

afterEach(() => {
  endListening();
  forgetCsrfToken();
  globalThis.fetch = realFetch;
  server.closeAllConnections();
  server.close();
});

describe('request', () => {
  it('returns data, meta and ETag of the envelope', async () => {
    handle = (_incoming, response) => {
      respond(response, 200, {
        data: [1],
        meta: { total: 1, page: 1, pageSize: 20, totalPages: 1 },
      });
    };
    const { data, meta, etag, status } = await request<number[]>('GET', '/keys');
    expect([data, meta?.total, etag, status]).toEqual([[1], 1, '"7-2"', 200]);
    expect(kinds).toEqual(['reached']);
  });

  it('sends the CSRF token, If-Match and JSON with a change', async () => {
    keepCsrfToken(SESSION);
    let seen: IncomingMessage['headers'] = {};
    let url: string | undefined;
    handle = (incoming, response) => {
      ({ headers: seen, url } = incoming);
      response.writeHead(204).end();
    };
    const options = { body: { a: 1 }, ifMatch: '"1"', query: { x: 'ü&', y: undefined } };
    const { data } = await request('PATCH', '/data/workspaces/1', options);
    expect(data).toBeUndefined();
    expect(url).toBe('/console/api/data/workspaces/1?x=%C3%BC%26');
    expect(seen).toMatchObject({
      'x-csrf-token': 'new',
      'if-match': '"1"',
      'content-type': 'application/json',
    });
  });

  it.each([
    [401, 'unauthenticated', 'session-ended'],
    [403, 'account_suspended', 'suspended'],
  ])('reports the state of the session on %d %s', async (status, code, kind) => {
    handle = (_incoming, response) => {
      respond(response, status, failure(code));
    };
    await expect(request('GET', '/keys')).rejects.toMatchObject({ status, code, requestId: 'r1' });
    expect(kinds).toContain(kind);
    kinds = [];
    await expect(request('POST', '/session', { isSessionQuiet: true })).rejects.toMatchObject({
      code,
    });
    expect(kinds).toEqual(['reached']);
  });

  it('reports an outage for the response of a proxy and for no response', async () => {
    handle = (_incoming, response) => {
      response.writeHead(502, { 'Content-Type': 'text/html' }).end('<h1>Bad gateway</h1>');
    };
    await expect(request('GET', '/keys')).rejects.toMatchObject({
      code: 'unavailable',
      status: 502,
    });
    handle = (incoming) => {
      incoming.socket.destroy();
    };
    const error: unknown = await request('GET', '/keys').catch((reason: unknown) => reason);
    expect(isApiError(error, 'unreachable') && error.isOutage).toBe(true);
    expect(kinds).toEqual(['outage', 'outage']);
  });

  it('rejects a request without a response after the timeout', async () => {
    handle = () => undefined;
    await expect(request('GET', '/keys', { timeoutMs: 50 })).rejects.toMatchObject({ status: 0 });
  });

  describe('after too many requests', () => {
    /** Rejects requests with 429 as often as told. @returns the requests. */
    const limit = (times: number, retryAfter: string): string[] => {
      const calls: string[] = [];
      handle = (incoming, response) => {
        let body = '';
        incoming.on('data', (part) => (body += String(part)));
        incoming.on('end', () => {
          calls.push(`${incoming.method ?? ''} ${body}`);
          if (calls.length > times) respond(response, 200, { data: 'done' });
          else {
            response.setHeader('Retry-After', retryAfter);
            respond(response, 429, failure('rate_limited'));
          }
        });
      };
      return calls;
    };

    it.each(['GET', 'POST'] as const)('sends %s again once the server takes it', async (method) => {
      const calls = limit(2, '0.001');
      const options = method === 'GET' ? {} : { body: { a: 1 }, idempotencyKey: 'k' };
      expect((await request(method, '/data/x', options)).data).toBe('done');
      const call = method === 'GET' ? 'GET ' : 'POST {"a":1}';
      expect(calls).toEqual([call, call, call]);
    });

    it('gives up after six attempts', async () => {
      const calls = limit(Infinity, '0.001');
      await expect(request('GET', '/data/x')).rejects.toMatchObject({ status: 429 });
      expect(calls).toHaveLength(6);
    });

    it('leaves a wait of hours to the user, and that of a sign-in', async () => {
      const calls = limit(Infinity, '7200');
      const error = { status: 429, retryAfterSeconds: 7200 };
      await expect(request('GET', '/data/x')).rejects.toMatchObject(error);
      limit(Infinity, '0.001');
      const quiet = { isSessionQuiet: true };
      await expect(request('POST', '/session', quiet)).rejects.toMatchObject({ status: 429 });
      expect(calls).toHaveLength(1);
    });

    it('stops waiting when the request is aborted', async () => {
      const abort = new AbortController();
      limit(Infinity, '60');
      onApiEvent(() => {
        abort.abort();
      });
      const call = request('GET', '/data/x', { signal: abort.signal });
      await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    });
  });

  describe('after a sign-in in another tab', () => {
    const serve = (session: Session, accepted: string): string[] => {
      const calls: string[] = [];
      handle = ({ method, headers }, response) => {
        calls.push(`${method ?? ''} ${String(headers['x-csrf-token'])}`);
        if (method === 'GET') respond(response, 200, { data: session });
        else if (headers['x-csrf-token'] === accepted) respond(response, 200, { data: 'done' });
        else respond(response, 403, failure('forbidden'));
      };
      return calls;
    };

    it('retries the change with the new token of the same user', async () => {
      keepCsrfToken({ ...SESSION, csrfToken: 'old' });
      const calls = serve(SESSION, 'new');
      expect((await request('POST', '/keys', { body: {} })).data).toBe('done');
      expect(calls).toEqual(['POST old', 'GET undefined', 'POST new']);
    });

    it('never sends the change in the name of another user', async () => {
      keepCsrfToken({ ...SESSION, csrfToken: 'old', user: { ...SESSION.user, id: 'u0' } });
      const calls = serve(SESSION, 'new');
      await expect(request('POST', '/keys', { body: {} })).rejects.toMatchObject({ status: 403 });
      expect(calls).toEqual(['POST old', 'GET undefined']);
      expect(kinds).toContain('session-replaced');
    });

    it('stops after one retry if the role forbids the change', async () => {
      keepCsrfToken(SESSION);
      const calls = serve(SESSION, 'never');
      await expect(request('POST', '/keys', { body: {} })).rejects.toMatchObject({ status: 403 });
      expect(calls).toEqual(['POST new', 'GET undefined']);
    });
  });
});
