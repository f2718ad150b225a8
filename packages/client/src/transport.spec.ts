import { ApiError, ConnectionError } from './error.ts';
import { type Retry } from './retry.ts';
import { broken, busy, failure, fakeTransport, json } from './testing/fake-fetch.ts';

const keyOf = ({ headers }: { readonly headers: Headers }): string | null =>
  headers.get('idempotency-key');
const create = { method: 'POST' as const, path: '/workspaces', body: { name: 'A' } };

describe('a request', () => {
  it('is sent to the API of the origin, with the key and with parameters as texts', async () => {
    const { transport, sent } = fakeTransport([json({ data: 1 })]);
    const query = {
      page: 2,
      fields: ['a', 'b'],
      filter: { a: 'ü' },
      bom: true,
      q: undefined,
      view: null,
    };
    expect(await transport.data({ method: 'GET', path: '/x', query })).toBe(1);
    expect(sent[0]?.url.origin).toBe('http://service.test');
    expect(sent[0]?.url.pathname).toBe('/api/v1/public/x');
    expect(Object.fromEntries(sent[0]?.url.searchParams ?? [])).toEqual({
      page: '2',
      fields: 'a,b',
      filter: '{"a":"ü"}',
      bom: 'true',
    });
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer mk_1');
  });

  it('uses the path of a Location header as it is', async () => {
    const { transport, sent } = fakeTransport([json({ data: 1 })]);
    await transport.data({ method: 'GET', path: '/api/v1/public/imports/1' });
    expect(sent[0]?.url.pathname).toBe('/api/v1/public/imports/1');
  });

  it('has the traceparent of each attempt', async () => {
    let attempts = 0;
    const traceparent = (): string => `00-${'a'.repeat(32)}-${String((attempts += 1))}`;
    const { transport, sent } = fakeTransport([busy, json({ data: 1 })], { traceparent });
    await transport.data({ method: 'GET', path: '/me' });
    const headers = sent.map((each) => each.headers.get('traceparent')?.slice(-1));
    expect(headers).toEqual(['1', '2']);
  });

  it('is not redirected, because a redirected POST would become a GET', async () => {
    const answer = json({}, { status: 301, headers: { location: '/elsewhere' } });
    const { transport } = fakeTransport([answer]);
    await expect(transport.data(create)).rejects.toMatchObject({ status: 301 });
  });
});

describe('a write', () => {
  it('has the same key in each attempt, and another one in the next call', async () => {
    const answers = [busy, broken, json({ data: 1 }), json({ data: 2 })];
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const { transport, sent } = fakeTransport(answers);
    await transport.data(create);
    await transport.data(create);
    const keys = sent.map(keyOf);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys).toEqual([keys[0], keys[0], keys[0], keys[3]]);
    expect(keys[3]).not.toBe(keys[0]);
    expect(sent.map(({ body }) => body)).toEqual(Array(4).fill('{"name":"A"}'));
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)('with %s has a key', async (method) => {
    const { transport, sent } = fakeTransport([json({ data: 1 }), json({ data: 1 })]);
    await transport.data({ method, path: '/x' });
    await transport.data({ method, path: '/x', idempotencyKey: 'own' });
    expect(sent.map(keyOf)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), 'own']);
  });

  it('is retried while its first request is in progress, but not if its key is in use otherwise', async () => {
    const inUse = failure(409, 'idempotency_key_in_use', { 'retry-after': '0' });
    const { transport, sent } = fakeTransport([inUse, json({ data: 1 })]);
    await transport.data(create);
    expect(sent).toHaveLength(2);
    const reused = fakeTransport([failure(409, 'idempotency_key_reused')]);
    await expect(reused.transport.data(create)).rejects.toMatchObject({ status: 409 });
  });
});

describe('an error', () => {
  it('has what the service says', async () => {
    const { transport } = fakeTransport([failure(409, 'conflict', { location: '/l' })]);
    const error = await transport.data(create).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      status: 409,
      code: 'conflict',
      message: 'Duplicate value.',
      field: 'values.iata',
      requestId: 'r-1',
      location: '/l',
      details: [{ field: 'values.iata', code: 'duplicate' }],
    });
  });

  it.each(['<html>Bad gateway</html>', 'null', '{"error":"text"}', ''])(
    'has the status if the response is not in the format of the API: %s',
    async (text) => {
      const answer = (): Response => new Response(text, { status: 418 });
      const { transport } = fakeTransport([answer]);
      await expect(transport.data(create)).rejects.toMatchObject({
        code: 'unexpected_response',
        message: 'The service responded with status 418.',
        requestId: null,
      });
    },
  );

  it.each([400, 401, 403, 404, 409, 410, 412, 413, 500])(
    'with status %i is not retried',
    async (status) => {
      const { transport, sent } = fakeTransport([failure(status, 'x')]);
      await expect(transport.data(create)).rejects.toMatchObject({ status });
      expect(sent).toHaveLength(1);
    },
  );

  it.each([408, 429, 502, 503, 504])('with status %i is retried', async (status) => {
    const answer = failure(status, 'x', { 'retry-after': '0' });
    const { transport, sent } = fakeTransport([answer, json({ data: 1 })]);
    expect(await transport.data(create)).toBe(1);
    expect(sent).toHaveLength(2);
  });

  it('is thrown after the maximum number of attempts', async () => {
    const retries: Retry[] = [];
    const onRetry = (retry: Retry): unknown => retries.push(retry);
    const { transport, sent } = fakeTransport([busy, busy, busy], { maxAttempts: 3, onRetry });
    await expect(transport.data(create)).rejects.toMatchObject({ status: 503 });
    expect(sent).toHaveLength(3);
    expect(retries.map(({ attempt, waitMs }) => [attempt, waitMs])).toEqual([
      [1, 0],
      [2, 0],
    ]);
  });

  it('is thrown at once if the service asks for a long wait', async () => {
    const answer = failure(429, 'rate_limited', { 'retry-after': '3600' });
    const { transport } = fakeTransport([answer]);
    const error = transport.data(create);
    await expect(error).rejects.toMatchObject({ status: 429, retryAfterSeconds: 3600 });
  });

  it('has the wait of a Retry-After that is a date', async () => {
    const date = new Date(Date.now() + 600_000).toUTCString();
    const { transport } = fakeTransport([failure(503, 'unavailable', { 'retry-after': date })]);
    const error = await transport.data(create).catch((each: unknown) => each);
    expect((error as ApiError).retryAfterSeconds).toBeGreaterThan(590);
    expect((error as ApiError).retryAfterSeconds).toBeLessThanOrEqual(600);
  });
});

describe('a broken connection', () => {
  it('has the reason that the runtime gives', async () => {
    const { transport } = fakeTransport([broken], { maxAttempts: 1 });
    const error = transport.data(create);
    await expect(error).rejects.toBeInstanceOf(ConnectionError);
    await expect(error).rejects.toThrow(
      'The connection to http://service.test failed: other side closed.',
    );
  });

  it('is noticed in the middle of a response', async () => {
    const cut = (): Response =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            controller.error(new TypeError('terminated'));
          },
        }),
      );
    const { transport } = fakeTransport([cut], { maxAttempts: 1 });
    await expect(transport.data(create)).rejects.toThrow('The response ended early: terminated.');
  });

  it('is assumed after the time limit', async () => {
    const hangs = (_: unknown, { signal }: RequestInit): Promise<Response> =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    const { transport } = fakeTransport([hangs], { maxAttempts: 1, timeoutMs: 5 });
    await expect(transport.data(create)).rejects.toThrow('failed: timed out.');
  });
});

describe('a signal', () => {
  it('ends a request, and a wait before a retry, with its reason', async () => {
    const reason = new Error('Enough.');
    const waits = failure(503, 'unavailable', { 'retry-after': '100' });
    const stopping = new AbortController();
    const onRetry = (): void => {
      stopping.abort(reason);
    };
    const { transport, sent } = fakeTransport([waits], { onRetry });
    const call = { ...create, signal: stopping.signal };
    await expect(transport.data(call)).rejects.toBe(reason);
    await expect(transport.data(call)).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
  });
});
