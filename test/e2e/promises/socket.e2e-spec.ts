import type { Answer } from '../../support/api-client';
import { expectFailure } from '../../support/failure';
import { dataOf, newTeam, type Team } from '../../support/fixture';
import { exchange, rawRequest, sendRaw } from '../../support/raw-http';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.start({
    beforeListen: (server) => {
      const soon = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 };
      Object.assign(server, soon);
    },
  });
  team = await newTeam(app);
});

afterAll(() => app.close());

const LINE = 'GET /api/v1/public/me HTTP/1.1';
const HOST = 'Host: localhost';

const headOf = (...lines: string[]): string =>
  [
    ...lines,
    HOST,
    `Authorization: Bearer ${team.owner.key}`,
    'Content-Type: application/json',
  ].join('\r\n');

describe('promise 55: what Node itself refuses has the one shape', () => {
  it.each<[string, string]>([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003'],
    ['an unknown method', `BREW / HTTP/1.1\r\n${HOST}\r\n\r\n`],
    ['a method in small letters', `get / HTTP/1.1\r\n${HOST}\r\n\r\n`],
    ['HTTP of another version', `GET / HTTP/3.7\r\n${HOST}\r\n\r\n`],
    ['a space in the path', `GET /a b HTTP/1.1\r\n${HOST}\r\n\r\n`],
    ['a header without a colon', `${LINE}\r\n${HOST}\r\nnonsense\r\n\r\n`],
    ['a header without a name', `${LINE}\r\n${HOST}\r\n: x\r\n\r\n`],
    ['a bare CR in a header', `${LINE}\r\n${HOST}\r\nA: b\rC: d\r\n\r\n`],
    ['NUL in a header', `${LINE}\r\n${HOST}\r\nA: \u0000\r\n\r\n`],
    ['a length that is no number', `POST / HTTP/1.1\r\n${HOST}\r\nContent-Length: x\r\n\r\n`],
    ['a negative length', `POST / HTTP/1.1\r\n${HOST}\r\nContent-Length: -1\r\n\r\n`],
    [
      'two lengths',
      `POST / HTTP/1.1\r\n${HOST}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
    ],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${HOST}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['a tunnel', `CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ])('400: %s', async (_, request) => {
    const answer = await sendRaw(app.port, Buffer.from(request, 'latin1'));
    expectFailure(answer, 'invalid_request');
    expect(answer.headers.get('connection')).toBe('close');
    expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.text)));
  });

  it('400: a broken chunk', async () => {
    const head = headOf('POST /api/v1/public/workspaces HTTP/1.1', 'Transfer-Encoding: chunked');
    expectFailure(await sendRaw(app.port, `${head}\r\n\r\nzz\r\n`), 'invalid_request');
    expect((await team.owner.api.get('/workspaces')).body.meta.total).toBe(0);
  });

  it.each<[string, () => string]>([
    ['no line', () => 'GET /api'],
    ['half the headers', () => `${LINE}\r\n${HOST}\r\nA: b`],
    [
      'half the body',
      () =>
        `${headOf('POST /api/v1/public/workspaces HTTP/1.1', 'Content-Length: 50')}\r\n\r\n{"name":`,
    ],
    [
      'half the chunks',
      () =>
        `${headOf('POST /api/v1/public/workspaces HTTP/1.1', 'Transfer-Encoding: chunked')}\r\n\r\n2\r\n{"\r\n`,
    ],
  ])('408: %s, and no more', async (_, request) => {
    const answer = await sendRaw(app.port, request());
    expectFailure(answer, 'request_timeout');
    expect(answer.headers.get('connection')).toBe('close');
  });

  it.each<[string, string]>([
    ['one header', `${LINE}\r\n${HOST}\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['many headers', `${LINE}\r\n${HOST}\r\n${'Aaaa: bbbb\r\n'.repeat(4_000)}\r\n`],
    ['the path', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n\r\n`],
  ])('431: %s too large', async (_, request) => {
    expectFailure(await sendRaw(app.port, request), 'headers_too_large');
  });

  it('400: no Host', async () => {
    const answer = await sendRaw(app.port, rawRequest([LINE]));
    expectFailure(answer, 'invalid_request', ['Host required']);
  });

  it('417: an expectation that cannot be met', async () => {
    const answer = await sendRaw(app.port, rawRequest([LINE, HOST, 'Expect: miracles']));
    expectFailure(answer, 'expectation_failed');
  });

  it('while "Expect: 100-continue" is met', async () => {
    const body = '{"name":"Continued"}';
    const length = `Content-Length: ${String(body.length)}`;
    const expectation = ['Expect: 100-continue', 'Connection: close'];
    const head = headOf('POST /api/v1/public/workspaces HTTP/1.1', length, ...expectation);
    const received = await exchange(app.port, `${head}\r\n\r\n${body}`);
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/);
  });
});

describe('promise 55: no response grants a browser anything, or tells what it runs on', () => {
  const origin = { origin: 'https://evil.example' };
  const preflight = { ...origin, 'access-control-request-method': 'GET' };

  it.each<[string, () => Promise<Answer>]>([
    ['200', () => team.owner.api.get('/me', origin)],
    ['201', () => team.owner.api.post('/workspaces', { name: 'X' }, origin)],
    ['401', () => app.api().get('/me', origin)],
    ['404', () => team.owner.api.get('/nothing', origin)],
    ['a preflight without a key', () => app.api().send('OPTIONS', '/me', undefined, preflight)],
    ['a preflight with a key', () => team.owner.api.send('OPTIONS', '/me', undefined, preflight)],
    ['417', () => sendRaw(app.port, rawRequest([LINE, HOST, 'Origin: https://a.b', 'Expect: x']))],
    ['400 of a malformed request', () => sendRaw(app.port, 'GET\r\n\r\n')],
  ])('%s', async (_, call) => {
    const { headers } = await call();
    const names = [...headers.keys()];
    expect(names.filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(names).not.toContain('x-powered-by');
    expect(names).not.toContain('server');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('and each may be kept as the design says', async () => {
    const { api } = team.owner;
    const created = await api.post('/workspaces', { name: 'Cached' });
    const path = `/workspaces/${dataOf(created, 201).id}`;
    const cacheControl = async (answer: Promise<Answer>): Promise<unknown> =>
      (await answer).headers.get('cache-control');
    expect(created.headers.get('cache-control')).toBe('no-store');
    expect(await cacheControl(api.get(path))).toBe('private, no-cache');
    expect(await cacheControl(api.get('/workspaces'))).toBe('private, no-cache');
    expect(await cacheControl(api.patch(path, { name: 'Y' }))).toBe('no-store');
    expect(await cacheControl(api.get('/workspaces?page=0'))).toBe('no-store');
    expect(await cacheControl(api.delete(path))).toBe('no-store');
    expect(await cacheControl(api.get(path))).toBe('no-store');
  });
});
