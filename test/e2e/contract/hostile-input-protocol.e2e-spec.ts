import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { ApiKeyService } from '../../../src/auth/api-key/api-key.service';
import { hashSecretToken } from '../../../src/auth/secret-token';
import type { Route } from '../../../src/platform/http/route-table';
import type { ApiResponse, ApiClient } from '../../support/api-client';
import { API } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { freshName } from '../../support/fixture';
import { type Ids, newIds } from '../../support/ids';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { pathOf, routesOf } from '../../support/routes';
import { TestApp, type Member } from '../../support/test-app';
import { declaredRoutes, hasBody } from './errors-routes';
import { expectErrorShape } from './errors-shape';

const MB = 1024 * 1024;
/** The default. */
const BODY_LIMIT = 10 * MB;

let app: TestApp;
let owner: Member;
let api: ApiClient;
let existing: Ids;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  ({ api } = owner);
  existing = await newIds({ api });
});

afterAll(() => app.close());

const workspaces = async (): Promise<number> => (await api.get('/workspaces')).body.meta.total;

describe('the content type of a body', () => {
  async function expectUnsupported(type: string | undefined, routes: Route[]): Promise<void> {
    const body = '{"name":"x"}';
    const outcomes: unknown[] = [];
    expect(routes.length).toBeGreaterThan(2);
    for (const route of routes) {
      const lines = [
        `${route.method} ${API}${pathOf(route, existing)} HTTP/1.1`,
        'Host: x',
        `Authorization: Bearer ${owner.key}`,
        `Content-Length: ${String(body.length)}`,
        ...(type === undefined ? [] : [`Content-Type: ${type}`]),
      ];
      outcomes.push(expectErrorShape(await sendRaw(app.port, rawRequest(lines, body))));
    }
    expect(outcomes).toEqual(routes.map(() => 'unsupported_media_type'));
  }

  it.each([undefined, 'application/x-www-form-urlencoded', 'application/json; charset=latin1'])(
    'returns 415 on every route with a body if it is %j',
    async (type) => {
      await expectUnsupported(type, routesOf(app).filter(hasBody));
    },
  );

  it.each([
    '',
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'application/json-seq',
    'application/merge-patch+json',
    'json',
    '*/*',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=utf-16',
    'application/json; charset=',
    'application/json, text/plain',
    'text/plain; application/json',
  ])('returns 415 with each method if it is %j', async (type) => {
    const routes = routesOf(app).filter(hasBody);
    await expectUnsupported(type, [...new Map(routes.map((one) => [one.method, one])).values()]);
  });

  it.each([
    'application/json',
    'APPLICATION/JSON',
    'application/json;charset=utf-8',
    'application/json; charset=UTF-8',
    'application/json ; charset="utf-8"',
  ])('is accepted if it is %s', async (type) => {
    const { status } = await api.post(
      '/workspaces',
      { name: freshName() },
      { 'content-type': type },
    );
    expect(status).toBe(201);
  });
});

describe('a method without a route', () => {
  const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'];

  it('returns 405 with the methods of the path in Allow', async () => {
    const byPath = new Map<string, Set<string>>();
    for (const { method, path } of declaredRoutes(app)) {
      const methods = byPath.get(path) ?? new Set();
      byPath.set(path, methods.add(method));
      if (method === 'GET') methods.add('HEAD');
    }
    expect(byPath.size).toBeGreaterThan(12);
    for (const [path, allowed] of byPath) {
      const target = path.replace(/:(\w+)/g, (_, name: keyof Ids) => existing[name]);
      for (const method of METHODS.filter((one) => !allowed.has(one))) {
        const lines = [
          `${method} ${target} HTTP/1.1`,
          'Host: x',
          `Authorization: Bearer ${owner.key}`,
        ];
        const response = await sendRaw(app.port, rawRequest(lines));
        expect([method, path, response.status]).toEqual([method, path, 405]);
        if (method === 'HEAD') expect(response.text).toBe('');
        else expectFailure(response, 'method_not_allowed');
        expect(response.headers.get('allow')).toBe([...allowed].sort().join(', '));
      }
    }
  });

  it('returns 405 for a word in place of an id, whatever the parameters and the Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'used twice' };
    expect((await api.post('/workspaces', { name: 'Keyed' }, headers)).status).toBe(201);
    const connections = `/workspaces/${existing.workspaceId}/connections`;
    const tested = await api.send('PATCH', `${connections}/test`, { name: 'a' }, headers);
    expectFailure(tested, 'method_not_allowed');
    expect(tested.headers.get('allow')).toBe('POST');
    const imported = await api.send(
      'PUT',
      `/datagrids/${existing.datagridId}/rows/import?mode=upsert`,
      {},
    );
    expectFailure(imported, 'method_not_allowed');
    expect(imported.headers.get('allow')).toBe('POST');
  });

  it('returns 404 without Allow if there is no such path', async () => {
    for (const method of METHODS.filter((one) => !['HEAD', 'TRACE'].includes(one))) {
      const response = await api.send(method, '/nowhere');
      expectFailure(response, 'not_found');
      expect(response.headers.get('allow')).toBeNull();
    }
  });
});

/** Starts a POST whose body the test writes itself. */
function startPost(headers: Record<string, string>): ClientRequest {
  const started = request({
    port: app.port,
    method: 'POST',
    path: `${API}/workspaces`,
    // A missing response must fail the test, and not block its end.
    signal: AbortSignal.timeout(25_000),
    headers: {
      authorization: `Bearer ${owner.key}`,
      'content-type': 'application/json',
      ...headers,
    },
  });
  started.flushHeaders();
  return started;
}

/** Returns the response before the request has ended, and then aborts the request. */
async function earlyResponse(started: ClientRequest): Promise<ApiResponse> {
  const [response] = (await once(started, 'response')) as [IncomingMessage];
  const chunks = (await response.toArray()) as Buffer[];
  started.on('error', () => undefined).destroy();
  const text = Buffer.concat(chunks).toString();
  const headers = new Headers(response.headers as Record<string, string>);
  return { status: response.statusCode ?? 0, headers, text, body: JSON.parse(text) };
}

describe('a body above the size limit', () => {
  it('returns 413 if it is one byte too large', async () => {
    const rest = '{"name":"x"}';
    const fits = rest + ' '.repeat(BODY_LIMIT - rest.length);
    const before = await workspaces();
    expectFailure(await api.post('/workspaces', `${fits} `), 'payload_too_large');
    expect(await workspaces()).toBe(before);
    expect((await api.post('/workspaces', fits)).status).toBe(201);
  });

  it.each(['identity', 'gzip'])(
    'returns 413 as soon as its length is announced, in %s',
    async (encoding) => {
      for (const length of [BODY_LIMIT + 1, 2 ** 40]) {
        const headers = { 'content-length': String(length), 'content-encoding': encoding };
        expectFailure(await earlyResponse(startPost(headers)), 'payload_too_large');
      }
    },
  );

  it('returns 413 before its end if no length was announced', async () => {
    const started = startPost({ 'transfer-encoding': 'chunked' });
    started.write(' '.repeat(BODY_LIMIT + 1));
    expectFailure(await earlyResponse(started), 'payload_too_large');
  });

  it('leaves the connection usable if the client sends it to the end', async () => {
    const responses = [];
    for (let n = 0; n < 3; n += 1) {
      responses.push(await api.post('/workspaces', ' '.repeat(BODY_LIMIT + MB)));
      responses.push(await api.get('/me'));
    }
    expect(responses.map(({ status }) => status)).toEqual([413, 200, 413, 200, 413, 200]);
  });
});

describe('a compressed body above the size limit', () => {
  const quickBrotli = (bytes: Buffer): Buffer =>
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

  /** Returns several concatenated gzip members: 1 MB that expands to 1 GB. */
  const gzipBomb = (): Buffer => {
    const member = gzipSync(Buffer.alloc(BODY_LIMIT, ' '));
    return Buffer.concat(Array.from({ length: 100 }, () => member));
  };

  it('returns 413 and uses little memory', async () => {
    const bomb = gzipBomb();
    expect(bomb.length).toBeLessThan(2 * MB);
    const before = process.memoryUsage.rss();
    let most = before;
    const sampling = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 1);
    try {
      for (let n = 0; n < 3; n += 1) {
        const response = await api.post('/workspaces', bomb, { 'content-encoding': 'gzip' });
        expectFailure(response, 'payload_too_large');
      }
    } finally {
      clearInterval(sampling);
    }
    // Each of them expands to 1,000 MB.
    expect((most - before) / MB).toBeLessThan(300);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', quickBrotli],
  ])('returns 413 in %s from one byte above the limit', async (encoding, compress) => {
    const name = freshName();
    const text = `{"name":"${name}"}`;
    const fits = compress(Buffer.from(text + ' '.repeat(BODY_LIMIT - text.length)));
    const bomb = compress(Buffer.from(text + ' '.repeat(BODY_LIMIT - text.length + 1)));
    const headers = { 'content-encoding': encoding };
    expectFailure(await api.post('/workspaces', bomb, headers), 'payload_too_large');
    const taken = await api.post('/workspaces', fits, headers);
    expect([taken.status, taken.body.data.name]).toEqual([201, name]);
  });
});

describe('a body with a content encoding', () => {
  it.each(['compress', 'zip', 'x', 'gzip, gzip', 'gzip;q=1', 'identity, gzip'])(
    'returns 415 if the encoding is unknown: %s',
    async (encoding) => {
      const response = await api.post(
        '/workspaces',
        { name: 'x' },
        { 'content-encoding': encoding },
      );
      expectFailure(response, 'unsupported_media_type');
    },
  );

  const whole = Buffer.from(JSON.stringify({ name: 'x'.repeat(150) }));
  const flipped = (bytes: Buffer): Buffer => {
    const changed = Buffer.from(bytes);
    const at = changed.length - 6;
    changed.writeUInt8(changed.readUInt8(at) ^ 0xff, at);
    return changed;
  };

  it.each<[string, string, Buffer]>([
    ['gzip cut short', 'gzip', gzipSync(whole).subarray(0, -5)],
    ['gzip with only its header', 'gzip', gzipSync(whole).subarray(0, 10)],
    ['gzip with a wrong checksum', 'gzip', flipped(gzipSync(whole))],
    ['deflate cut short', 'deflate', deflateSync(whole).subarray(0, -5)],
    ['deflate without its wrapper', 'deflate', deflateRawSync(whole)],
    ['brotli cut short', 'br', brotliCompressSync(whole).subarray(0, -2)],
    ['plain text called gzip', 'gzip', whole],
    ['plain text called br', 'br', whole],
  ])('returns 400 if it cannot be decompressed: %s', async (_, encoding, body) => {
    const before = await workspaces();
    const response = await api.post('/workspaces', body, { 'content-encoding': encoding });
    expectFailure(response, 'invalid_request', ['body invalid_compression']);
    expect(await workspaces()).toBe(before);
  });

  it('is read if it can be decompressed', async () => {
    const name = freshName();
    const body = gzipSync(JSON.stringify({ name }));
    const response = await api.post('/workspaces', body, { 'content-encoding': 'GZIP' });
    expect([response.status, response.body.data.name]).toEqual([201, name]);
  });

  it.each([
    ['while its key is looked up', false],
    ['while its body is read', true],
  ])('writes nothing and logs no error if the client disconnects %s', async (_, isIn) => {
    const before = await workspaces();
    const seen = app.logs.length;
    const linesOf = (text: string): string[] =>
      app.logs.slice(seen).filter((line) => line.includes(text));
    const hungUp = (): Promise<unknown> => eventually(() => linesOf('"aborted":true').length > 0);
    const keys = app.nest.get(ApiKeyService);
    const caller = await keys.authenticate(hashSecretToken(owner.key).toString('hex'));
    const lookUp = jest.spyOn(keys, 'authenticate').mockImplementationOnce(async () => {
      if (isIn) setImmediate(() => started.destroy());
      else {
        started.destroy();
        await hungUp();
      }
      return caller;
    });
    const cached = jest.spyOn(keys, 'findCached').mockReturnValue(null);

    const started = startPost({ 'content-length': '1000' });
    started.on('error', () => undefined).write('{"name":');
    await hungUp();
    cached.mockRestore();
    lookUp.mockRestore();
    expect(await workspaces()).toBe(before);
    expect(linesOf('"level":"error"')).toEqual([]);
  });
});
