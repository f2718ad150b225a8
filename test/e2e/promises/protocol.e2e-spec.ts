import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expectFailure } from '../../support/failure';
import { newDatagrid, newTeam, NO_ID, type Team } from '../../support/fixture';
import { rawRequest, sendRaw } from '../../support/raw-http';
import { bodyFor, pathOf, routesOf } from '../../support/routes';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;
let rows: string;

beforeAll(async () => {
  app = await TestApp.start();
  team = await newTeam(app);
  rows = `${await newDatagrid(team.owner.api, [{ key: 't', type: 'text' }])}/rows`;
});

afterAll(() => app.close());

const IDS = { workspaceId: NO_ID, datagridId: NO_ID, rowId: '1', key: 'n' };
const LIMIT = 10 * 1024 * 1024;

describe('promise 54: a wrong content type is 415', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/jsonp',
    'application/vnd.api+json',
    'application/json, text/plain',
    'json',
    '',
  ])('%j, on every route that takes a body', async (type) => {
    for (const route of routesOf(app).filter(bodyFor)) {
      const body = JSON.stringify(bodyFor(route));
      const headers = { 'content-type': type };
      const answer = await team.owner.api.send(route.method, pathOf(route, IDS), body, headers);
      expectFailure(answer, 'unsupported_media_type');
    }
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
  ])('%j is right', async (type) => {
    const body = '{"values":{"t":"ä"}}';
    const { status } = await team.owner.api.post(rows, body, { 'content-type': type });
    expect(status).toBe(201);
  });

  it.each(['zip', 'compress', 'gzip, gzip', 'zstd'])(
    'so is a body encoded by %j',
    async (encoding) => {
      const headers = { 'content-encoding': encoding };
      const answer = await team.owner.api.post(rows, gzipSync('{"values":{}}'), headers);
      expectFailure(answer, 'unsupported_media_type');
    },
  );
});

describe('promise 54: a wrong method is 405 with Allow', () => {
  const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

  it('on every route', async () => {
    const allowed = new Map<string, Set<string>>();
    for (const route of routesOf(app)) {
      const methods = allowed.get(route.path) ?? new Set<string>();
      methods.add(route.method);
      if (route.method === 'GET') methods.add('HEAD');
      allowed.set(route.path, methods);
    }
    expect(allowed.size).toBeGreaterThan(8);
    for (const [path, methods] of allowed) {
      const url = pathOf({ method: '', path, handler: () => undefined }, IDS);
      for (const method of METHODS.filter((one) => !methods.has(one))) {
        const answer = await team.owner.api.send(method, url);
        expectFailure(answer, 'method_not_allowed');
        expect(answer.headers.get('allow')).toBe([...methods].sort().join(', '));
      }
    }
  });

  it('whatever a client says the method is meant to be', async () => {
    for (const header of ['x-http-method-override', 'x-method-override', 'x-http-method']) {
      const answer = await team.owner.api.post(`${rows}/1`, { values: {} }, { [header]: 'DELETE' });
      expectFailure(answer, 'method_not_allowed');
    }
  });

  it('also for probes', async () => {
    const response = await fetch(`${app.origin}/health/live`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('promise 54: a body that is too large is 413', () => {
  const compress = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync } as const;
  const encodings = Object.keys(compress) as (keyof typeof compress)[];

  it.each(encodings)('a bomb of %s', async (encoding) => {
    const bomb = compress[encoding](Buffer.alloc(40 * 1024 * 1024, ' '));
    expect(bomb.length).toBeLessThan(100_000);
    const answer = await team.owner.api.post(rows, bomb, { 'content-encoding': encoding });
    expectFailure(answer, 'payload_too_large');
  });

  it.each(encodings)('while a body within the limit may come as %s', async (encoding) => {
    const body = compress[encoding]('{"values":{"t":"x"}}');
    const answer = await team.owner.api.post(rows, body, { 'content-encoding': encoding });
    expect(answer.status).toBe(201);
  });

  it.each(encodings)('and 400 where it is no %s', async (encoding) => {
    const answer = await team.owner.api.post(rows, 'plain', { 'content-encoding': encoding });
    expectFailure(answer, 'invalid_request', ['body unreadable']);
  });

  it('by one byte', async () => {
    const fits = `{"values":{}}${' '.repeat(LIMIT - 13)}`;
    expect((await team.owner.api.post(rows, fits)).status).toBe(201);
    expectFailure(await team.owner.api.post(rows, `${fits} `), 'payload_too_large');
  });

  it('in chunks, which announce no length', async () => {
    const chunk = `${(1024 * 1024).toString(16)}\r\n${' '.repeat(1024 * 1024)}\r\n`;
    const request = rawRequest(
      [
        `POST /api/v1/public${rows} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${team.owner.key}`,
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      ],
      `${chunk.repeat(11)}0\r\n\r\n`,
    );
    expectFailure(await sendRaw(app.port, request), 'payload_too_large');
  });

  it('while chunks within the limit are put together', async () => {
    const request = rawRequest(
      [
        `POST /api/v1/public${rows} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${team.owner.key}`,
        'Content-Type: application/json',
        'Transfer-Encoding: chunked',
      ],
      '5\r\n{"val\r\n8\r\nues":{}}\r\n0\r\n\r\n',
    );
    expect((await sendRaw(app.port, request)).status).toBe(201);
  });
});

describe('HEAD is GET without the body', () => {
  it('on what there is', async () => {
    for (const path of ['/workspaces', rows, rows.replace('/rows', ''), `${rows}/1`, '/me']) {
      const get = await team.owner.api.get(path);
      const head = await team.owner.api.send('HEAD', path);
      expect([path, head.status, head.text]).toEqual([path, 200, '']);
      for (const name of ['etag', 'link', 'content-type', 'cache-control']) {
        expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
      }
      expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
    }
  });

  it('on what there is not', async () => {
    for (const [path, status] of [
      [`${rows}/99`, 404],
      ['/nothing', 404],
      ['/me?x', 400],
    ] as const) {
      const head = await team.owner.api.send('HEAD', path);
      expect([head.status, head.text]).toEqual([status, '']);
    }
    expect((await app.api().send('HEAD', rows)).status).toBe(401);
  });
});

describe('unknown routes', () => {
  it.each([
    '',
    '/',
    '/nothing',
    '/Workspaces',
    '/workspaces/1/2/3',
    '//me',
    '/me/me',
    '/.',
    '/%2e%2e/me',
    '/me%2f',
    '/%zz',
    '/workspaces/%E0%A4%A',
    '/%',
  ])('%j of the API is 401 without a key and 404 with one', async (path) => {
    const line = `GET /api/v1/public${path} HTTP/1.1`;
    const anonymous = await sendRaw(app.port, rawRequest([line, 'Host: localhost']));
    expectFailure(anonymous, 'unauthenticated');
    const key = `Authorization: Bearer ${team.owner.key}`;
    expectFailure(await sendRaw(app.port, rawRequest([line, 'Host: localhost', key])), 'not_found');
  });

  it.each([
    '/',
    '/api',
    '/api/v1',
    '/api/v1/publicity',
    '/api/v2/public/me',
    '/API/v1/public/me',
    '/%zz',
    '/health',
    '/../api/v1/public/me',
  ])('%j elsewhere is 404, with or without a key', async (path) => {
    const line = `GET ${path} HTTP/1.1`;
    expectFailure(await sendRaw(app.port, rawRequest([line, 'Host: localhost'])), 'not_found');
    const key = `Authorization: Bearer ${team.owner.key}`;
    expectFailure(await sendRaw(app.port, rawRequest([line, 'Host: localhost', key])), 'not_found');
  });
});
