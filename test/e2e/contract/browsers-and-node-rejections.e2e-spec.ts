import { connect, type Socket } from 'node:net';
import { API, type ApiResponse } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { newTeam, type Team } from '../../support/fixture';
import { exchange, rawRequest, sendRaw } from '../../support/raw-http';
import { TestApp } from '../../support/test-app';
import { expectErrorShape } from './errors-shape';

let app: TestApp;
/** An instance with short timeouts, for requests that never end. */
let hasty: TestApp;
let team: Team;

beforeAll(async () => {
  app = await TestApp.shared();
  hasty = await TestApp.start({
    database: app.database,
    beforeListen: (server) => {
      const timeouts = { headersTimeout: 200, requestTimeout: 400 };
      Object.assign(server, timeouts, { connectionsCheckingInterval: 20 });
    },
  });
  team = await newTeam(app);
});

afterAll(async () => {
  await hasty.close();
  await app.close();
});

/** Returns the text of a request with a Host header and the owner's key. */
function keyed(line: string, headers: readonly string[] = [], body = ''): string {
  const own = ['Host: x', `Authorization: Bearer ${team.owner.key}`];
  return rawRequest([line, ...own, ...headers], body);
}

/** Asserts the format of responses that the service writes to the socket directly. */
function expectRejectedAtSocket(
  response: ApiResponse,
  code: Parameters<typeof expectFailure>[1],
): void {
  expectFailure(response, code);
  expect(response.headers.get('connection')).toBe('close');
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(response.text)));
}

const ME = `GET ${API}/me HTTP/1.1`;

describe('a request that is rejected before routing', () => {
  it.each([
    ['not HTTP', 'nonsense\r\n\r\n'],
    ['TLS', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', 'BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a method in lower case', 'get / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a bad version', 'GET / HTTP/9.9\r\nHost: x\r\n\r\n'],
    ['a space in the target', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a header without a colon', `${ME}\r\nHost: x\r\nnonsense\r\n\r\n`],
    ['a space before the colon', `${ME}\r\nHost : x\r\n\r\n`],
    ['a NUL in a header', `${ME}\r\nHost: x\r\nA: \0\r\n\r\n`],
    ['a line feed alone', `${ME}\nHost: x\nA: b\rc\n\n`],
    ['two lengths', `${ME}\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`],
    ['an invalid length', `${ME}\r\nHost: x\r\nContent-Length: -1\r\n\r\n`],
    [
      'a length beside chunks',
      `${ME}\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['an unknown transfer', `${ME}\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n`],
    ['CONNECT', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n'],
  ])('returns 400 in the error format and closes the connection: %s', async (_, request) => {
    expectRejectedAtSocket(await sendRaw(app.port, request), 'invalid_request');
  });

  it.each(['utf8', 'latin1'] as const)(
    'says how to send characters that are not ASCII in the URL: %s',
    async (encoding) => {
      const request = Buffer.from(`GET ${API}/me?q=é HTTP/1.1\r\nHost: x\r\n\r\n`, encoding);
      const response = await sendRaw(app.port, request);
      expectRejectedAtSocket(response, 'invalid_request');
      expect(response.body.error.message).toBe(
        'The URL is not valid. Percent-encode characters that are not ASCII, as in %C3%A9.',
      );
    },
  );

  it('returns 400 once for an invalid chunk in the middle of a body', async () => {
    const head = [`POST ${API}/workspaces HTTP/1.1`, 'Host: x'];
    const headers = [
      `Authorization: Bearer ${team.owner.key}`,
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    ];
    const responses = await exchange(
      app.port,
      rawRequest([...head, ...headers], '8\r\n{"name":\r\nzz\r\n'),
    );
    expect(responses.match(/^HTTP\/1\.1 400 /gm)).toHaveLength(1);
    expect(responses).toContain('"code":"invalid_request"');
  });

  it('returns 431 for headers or a request target that are too large', async () => {
    const long = 'x'.repeat(17_000);
    const many = Array.from({ length: 3_000 }, (_, n) => `A${String(n)}: ${String(n)}`);
    for (const request of [
      `${ME}\r\nHost: x\r\nA: ${long}\r\n\r\n`,
      `${ME}\r\nHost: x\r\n${long}: a\r\n\r\n`,
      `GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `GET ${API}/me?${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
      `${[ME, 'Host: x', ...many].join('\r\n')}\r\n\r\n`,
    ]) {
      expectRejectedAtSocket(await sendRaw(app.port, request), 'headers_too_large');
    }
  });

  it.each([
    ['the request line', 'GET /'],
    ['the headers', `${ME}\r\nHost: x\r\nA: `],
    ['the end of the headers', `${ME}\r\nHost: x\r\n`],
  ])('returns 408 if it never ends: %s', async (_, request) => {
    expectRejectedAtSocket(await sendRaw(hasty.port, request), 'request_timeout');
  });

  it('returns 408 once if its body never ends, and writes nothing', async () => {
    const before = (await team.owner.api.get('/workspaces')).body.meta.total as number;
    const headers = [
      `Authorization: Bearer ${team.owner.key}`,
      'Content-Type: application/json',
      'Content-Length: 100',
    ];
    const line = `POST ${API}/workspaces HTTP/1.1`;
    const request = rawRequest([line, 'Host: x', ...headers], '{"name":"x"}');
    expectRejectedAtSocket(await sendRaw(hasty.port, request), 'request_timeout');
    expect((await team.owner.api.get('/workspaces')).body.meta.total).toBe(before);
  });

  it('returns 400 without a Host header, except in HTTP/1.0', async () => {
    const missing = await sendRaw(app.port, rawRequest([ME]));
    expectFailure(missing, 'invalid_request', ['Host required']);
    expect(missing.headers.get('connection')).toBe('close');
    const old = await sendRaw(app.port, 'GET /health/live HTTP/1.0\r\n\r\n');
    expect([old.status, old.text]).toEqual([200, '{"data":{"status":"ok"}}']);
  });

  it.each([
    ['the same twice', ['Host: x', 'Host: x']],
    ['two', ['Host: x', 'hOST: y']],
    ['an empty one too', ['Host: x', 'Host:']],
  ])('returns 400 for more than one Host header, with and without a key: %s', async (_, hosts) => {
    const key = `Authorization: Bearer ${team.owner.key}`;
    for (const more of [[], [key]]) {
      const response = await sendRaw(app.port, rawRequest([ME, ...hosts, ...more]));
      expectFailure(response, 'invalid_request', ['Host duplicate_header']);
    }
  });

  it('returns 417 for an unknown Expect header, with and without a key', async () => {
    for (const expected of ['tea', '200-ok']) {
      const header = `Expect: ${expected}`;
      expectFailure(await sendRaw(app.port, keyed(ME, [header])), 'expectation_failed');
      expectFailure(
        await sendRaw(app.port, rawRequest([ME, 'Host: x', header])),
        'expectation_failed',
      );
    }
  });

  it('is logged under its request id, without a byte of its content', async () => {
    const secret = `mk_${'S'.repeat(36)}`;
    const request = `${ME}\r\nAuthorization: Bearer ${secret}\r\nnonsense\r\n\r\n`;
    const response = await sendRaw(app.port, request);
    const id = response.headers.get('x-request-id') ?? '';
    const line = await eventually(() => app.logs.find((entry) => entry.includes(id)));
    expect(JSON.parse(line)).toEqual({
      level: 'info',
      time: expect.any(String),
      requestId: id,
      status: 400,
      fault: expect.stringMatching(/^HPE_/),
      msg: 'request rejected',
    });
    expect(app.logs.join('')).not.toContain(secret);
  });

  it('has its connection closed, and other requests are served', async () => {
    const open = await new Promise<Socket>((resolve) => {
      const socket = connect(app.port, '127.0.0.1', () => {
        resolve(socket);
      });
    });
    const ended = new Promise((resolve) => open.once('close', resolve));
    open.resume().write('nonsense\r\n\r\n');
    await ended;
    expect((await team.owner.api.get('/me')).status).toBe(200);
  });
});

describe('a path with an invalid escape or an unusual target', () => {
  const targets = ['%', '%zz', '%ff', 'workspaces/%', 'workspaces/%c3%28/datagrids', 'me%', '%2'];

  it.each(targets)('returns 401 without a key and 404 with one below the API: %s', async (path) => {
    expectFailure(await app.api().get(`/${path}`), 'unauthenticated');
    expectFailure(await team.owner.api.get(`/${path}`), 'not_found');
  });

  it.each(['/%', '/%zz', '/health/%ff', '/docs/%zz', '/api/v1/pub%lic/me'])(
    'returns 404 outside the API: %s',
    async (target) => {
      const response = await sendRaw(app.port, rawRequest([`GET ${target} HTTP/1.1`, 'Host: x']));
      expect(expectErrorShape(response)).toBe('not_found');
    },
  );

  it.each<[string, number]>([
    ['http://other.example/api/v1/public/me', 200],
    ['http://other.example/api/v1/public/%zz', 404],
    ['//other.example/api/v1/public/me', 404],
    ['/api/v1/public/../public/me', 404],
    ['/api/v1/public/%2e%2e/public/me', 404],
    ['/api/v1/public//me', 404],
    ['/api/v1/public/me;a=b', 404],
    ['/api/v1/public/me#x', 200],
  ])('written as %s returns %d', async (target, status) => {
    const response = await sendRaw(app.port, keyed(`GET ${target} HTTP/1.1`));
    expect(response.status).toBe(status);
    if (status !== 200) expect(expectErrorShape(response)).toBe('not_found');
  });
});
