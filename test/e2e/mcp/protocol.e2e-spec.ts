import { request } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ErrorBody } from '../../../src/platform/http/error-form';
import { newDatagrid } from '../../support/fixture';
import { callMessage, McpTestClient, sendMessage } from '../../support/mcp-client';
import { type Member, TestApp } from '../../support/test-app';

let app: TestApp;
let owner: Member;

const PUBLIC_URL = 'https://data.example.com';
const LIST = { jsonrpc: '2.0', id: 7, method: 'tools/list' };

beforeAll(async () => {
  app = await TestApp.start({ settings: { PUBLIC_URL } });
  owner = await app.newAccount();
});

afterAll(() => app.close());

const send = (
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
): ReturnType<typeof sendMessage> => sendMessage(app.origin, owner.key, message, headers);

describe('a message to /mcp', () => {
  it('gets a JSON response without a session, which is not cached', async () => {
    const { status, headers, body } = await send(LIST);
    expect(status).toBe(200);
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 7, result: { tools: expect.any(Array) } });
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('mcp-session-id')).toBeNull();
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });

  it('negotiates a version of the protocol that begins with initialize', async () => {
    const initialize = (protocolVersion: string): object => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    });
    const versionFor = async (version: string): Promise<string> =>
      (await send(initialize(version))).body.result.protocolVersion;
    expect(await versionFor('2025-06-18')).toBe('2025-06-18');
    expect(await versionFor('2025-11-25')).toBe('2025-11-25');
    expect(await versionFor('1999-01-01')).toBe('2025-11-25');
    const { result } = (await send(initialize('2025-11-25'))).body;
    expect(result.capabilities).toEqual({ tools: { listChanged: false } });
    expect((await send(LIST, { 'mcp-protocol-version': '2025-06-18' })).status).toBe(200);
    const { status, body } = await send(LIST, { 'mcp-protocol-version': '1999-01-01' });
    expect([status, body.error.code]).toEqual([400, -32_000]);
    expect(body.error.message).toContain('Unsupported protocol version');
  });

  it('is answered without a session, whatever session id it has', async () => {
    expect((await send(LIST, { 'mcp-session-id': 'unknown' })).status).toBe(200);
  });

  it('that is a notification or a response returns 202 without a body', async () => {
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 3, result: {} },
    ]) {
      const { status, body } = await send(message);
      expect([status, body]).toEqual([202, undefined]);
    }
  });

  it('that is a batch returns 400, so that a request cannot call many tools', async () => {
    const { status, body } = await send([LIST, LIST]);
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.details).toEqual([
      {
        field: 'body',
        code: 'wrong_type',
        message: 'must be one JSON-RPC message, not a batch',
      },
    ]);
  });

  it.each([
    ['text that is not JSON', '{"jsonrpc":', 'malformed_json'],
    ['a key twice', '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', 'duplicate_key'],
    [
      'a number that would lose digits',
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":9007199254740993}}',
      'inexact_number',
    ],
  ])('with %s returns 400', async (_, text, code) => {
    const { status, body } = await send(text);
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.details[0].code).toBe(code);
  });

  it.each([
    ['no JSON-RPC version', { id: 1, method: 'ping' }, 1],
    ['an object as id', { jsonrpc: '2.0', id: {}, method: 'ping' }, null],
    ['no method', { jsonrpc: '2.0', id: 1 }, null],
    ['a number as a message', 5, null],
    ['null as a message', null, null],
  ])('with %s returns a JSON-RPC error with status 400', async (_, message, id) => {
    const { status, body } = await send(message);
    expect([status, body.error.code, body.id]).toEqual([400, -32_600, id]);
  });

  it('without a body returns a JSON-RPC error with status 400', async () => {
    const { status, body } = await send('');
    expect([status, body.error.code]).toEqual([400, -32_700]);
  });

  it('with an unknown method or wrong parameters returns a JSON-RPC error', async () => {
    const codeOf = async (message: object): Promise<number> =>
      (await send({ jsonrpc: '2.0', id: 1, ...message })).body.error.code;
    expect(await codeOf({ method: 'resources/list' })).toBe(-32_601);
    expect(await codeOf({ method: 'tools/call', params: { arguments: {} } })).toBe(-32_602);
    expect(await codeOf({ method: 'tools/call', params: { name: 'nothing' } })).toBe(-32_602);
  });

  it('must be JSON, and its sender must accept JSON and event streams', async () => {
    const typed = await send(JSON.stringify(LIST), { 'content-type': 'text/plain' });
    expect([typed.status, typed.body.error.code]).toEqual([415, 'unsupported_media_type']);
    const accepting = await send(LIST, { accept: 'application/json' });
    expect([accepting.status, accepting.body.error.code]).toEqual([406, -32_000]);
  });

  it('can have up to 1 MiB, also after decompression', async () => {
    const long = JSON.stringify(callMessage('whoami', { extra: 'x'.repeat(1_048_576) }));
    const { status, body } = await send(long);
    expect([status, body.error.code]).toEqual([413, 'payload_too_large']);
    const zipped = await fetch(`${app.origin}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner.key}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        accept: 'application/json, text/event-stream',
      },
      body: gzipSync(long),
    });
    expect(zipped.status).toBe(413);
  });

  it('with very many arguments, properties or rows is rejected before they are checked', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 101 }, (_, index) => [`k${String(index)}`, 1]),
    );
    for (const message of [
      callMessage('whoami', many),
      { ...LIST, params: { _meta: many } },
      { ...LIST, ...many },
      { ...LIST, params: { nested: [many] } },
    ]) {
      const { status, body } = await send(message);
      expect([status, body.error.details]).toEqual([
        400,
        [
          {
            field: 'body',
            code: 'out_of_range',
            message: 'must not have more than 100 properties',
          },
        ],
      ]);
    }
    const path = await newDatagrid(owner.api, [{ key: 'text', type: 'text' }]);
    const datagridId = path.slice('/datagrids/'.length);
    const rows = Array.from({ length: 1_001 }, () => ({ id: 1, other: 1 }));
    const { body } = await send(callMessage('delete_rows', { datagridId, rows }));
    const { error } = JSON.parse(body.result.content[0].text as string) as ErrorBody;
    expect(error.details).toEqual([
      { field: 'rows', code: 'out_of_range', message: expect.any(String) },
    ]);
  });

  it('writes large rows in one call, whose values stay the same', async () => {
    const path = await newDatagrid(owner.api, [{ key: 'text', type: 'text' }]);
    const datagridId = path.slice('/datagrids/'.length);
    const text = 'é'.repeat(200_000);
    const sent = await send(
      callMessage('create_rows', { datagridId, rows: [{ values: { text } }] }),
    );
    expect(sent.body.result.isError).toBeUndefined();
    expect((await owner.api.get(`${path}/rows/1`)).body.data.values.text).toBe(text);
  });
});

describe('a message of the protocol 2026-07-28', () => {
  const VERSION = '2026-07-28';

  const sendModern = (
    method: string,
    params: object = {},
    headers: Readonly<Record<string, string>> = {},
    version = VERSION,
  ): ReturnType<typeof sendMessage> => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    return send(
      { jsonrpc: '2.0', id: 'a', method, params: { ...params, _meta: meta } },
      { 'mcp-protocol-version': version, 'mcp-method': method, ...headers },
    );
  };

  it('discovers the server, which promises no notices of a changed list of tools', async () => {
    const { status, body } = await sendModern('server/discover');
    expect([status, body.id]).toEqual([200, 'a']);
    expect(body.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [VERSION],
      instructions: expect.stringContaining('describe_datagrid'),
      cacheScope: 'private',
    });
    expect(body.result.capabilities).toEqual({ tools: { listChanged: false } });
  });

  it('lists and calls tools without a handshake', async () => {
    const listed = (await sendModern('tools/list')).body.result;
    expect(listed).toMatchObject({ resultType: 'complete', cacheScope: 'private' });
    expect(listed.tools[0].name).toBe('whoami');
    const params = { name: 'whoami', arguments: {} };
    const { status, body } = await sendModern('tools/call', params, { 'mcp-name': 'whoami' });
    expect([status, body.result.structuredContent.data.role]).toEqual([200, 'owner']);
  });

  it.each([
    ['another version', ['server/discover', {}, {}, '2099-01-01'], 400, -32_022],
    ['an unknown method', ['resources/list'], 404, -32_601],
    ['an unknown tool', ['tools/call', { name: 'no' }, { 'mcp-name': 'no' }], 200, -32_602],
    ['another method in its header', ['tools/list', {}, { 'mcp-method': 'ping' }], 400, -32_020],
  ] as const)('with %s gets the code of the specification', async (_, args, status, code) => {
    const sent = await sendModern(...(args as unknown as Parameters<typeof sendModern>));
    expect([sent.status, sent.body.error.code]).toEqual([status, code]);
  });

  it('that lists no capabilities of its client is 400 with the code of wrong parameters', async () => {
    const { status, body } = await send(LIST, { 'mcp-protocol-version': VERSION });
    expect([status, body.error.code]).toEqual([400, -32_602]);
  });

  it('that subscribes to notices is told that there are none, and its stream ends', async () => {
    const response = await fetch(`${app.origin}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${owner.key}`,
        'mcp-protocol-version': VERSION,
        'mcp-method': 'subscriptions/listen',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 5,
        method: 'subscriptions/listen',
        params: {
          notifications: { toolsListChanged: true },
          _meta: {
            'io.modelcontextprotocol/protocolVersion': VERSION,
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const [acknowledged, result] = [...(await response.text()).matchAll(/^data: (.*)$/gm)].map(
      ([, data = '']): unknown => JSON.parse(data),
    );
    expect(acknowledged).toMatchObject({
      method: 'notifications/subscriptions/acknowledged',
      params: { notifications: {} },
    });
    expect(result).toMatchObject({ id: 5, result: { resultType: 'complete' } });
  });
});

describe('the endpoint /mcp', () => {
  it('supports only POST, because it has no sessions and sends nothing on its own', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS']) {
      const response = await fetch(`${app.origin}/mcp`, {
        method,
        headers: { authorization: `Bearer ${owner.key}`, accept: 'text/event-stream' },
      });
      expect([method, response.status, response.headers.get('allow')]).toEqual([
        method,
        405,
        'POST',
      ]);
    }
  });

  it('rejects requests of web pages, except for those of its own origin', async () => {
    expect((await send(LIST, { origin: PUBLIC_URL })).status).toBe(200);
    for (const origin of ['https://evil.example', app.origin, 'null', 'http://data.example.com']) {
      const { status, body } = await send(LIST, { origin });
      expect([origin, status, body.error.code]).toEqual([origin, 403, 'forbidden']);
    }
  });

  it('accepts its own pages without PUBLIC_URL on the local machine only', async () => {
    const local = await TestApp.shared();
    try {
      const member = await local.newAccount();
      const statusFor = async (origin: string): Promise<number> =>
        (await sendMessage(local.origin, member.key, LIST, { origin })).status;
      expect(await statusFor(local.origin)).toBe(200);
      const { port } = new URL(local.origin);
      // After DNS rebinding, the page of another host has that name as its origin.
      for (const other of [`http://evil.example:${port}`, 'http://127.0.0.1:1', 'null', 'x']) {
        expect([other, await statusFor(other)]).toEqual([other, 403]);
      }
      const rebound = await new Promise<number>((resolve, reject) => {
        const host = `evil.example:${port}`;
        const headers = {
          host,
          origin: `http://${host}`,
          authorization: `Bearer ${member.key}`,
          'content-type': 'application/json',
        };
        request(`${local.origin}/mcp`, { method: 'POST', headers }, ({ statusCode = 0 }) => {
          resolve(statusCode);
        })
          .on('error', reject)
          .end(JSON.stringify(LIST));
      });
      expect(rebound).toBe(403);
    } finally {
      await local.close();
    }
  });

  it('does not exist if MCP is off', async () => {
    const without = await TestApp.start({
      database: app.database,
      settings: { MCP: 'off' },
    });
    try {
      const member = await without.newAccount();
      expect((await sendMessage(without.origin, member.key, LIST)).status).toBe(404);
    } finally {
      await without.close();
    }
  });
});

describe('rate limits', () => {
  it('count a tool call as one request, together with those to the API', async () => {
    const limited = await TestApp.start({
      database: app.database,
      settings: { RATE_LIMIT_REQUESTS: '4' },
    });
    try {
      const member = await limited.newAccount();
      const call = (): ReturnType<typeof sendMessage> =>
        sendMessage(limited.origin, member.key, callMessage('whoami'));
      const remaining = (value: string | null): string | undefined =>
        /r=(\d+)/.exec(value ?? '')?.[1];
      const first = await call();
      expect([first.status, remaining(first.headers.get('ratelimit'))]).toEqual([200, '3']);
      const second = await member.api.get('/me');
      expect(remaining(second.headers.get('ratelimit'))).toBe('2');
      await call();
      await call();
      const beyond = await call();
      expect([beyond.status, beyond.body.error.code]).toEqual([429, 'rate_limited']);
      expect(Number(beyond.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await limited.close();
    }
  });
});

describe('the official client', () => {
  it.each([
    ['auto', '2026-07-28'],
    ['legacy', '2025-11-25'],
  ] as const)('with %s negotiation uses the protocol %s', async (mode, version) => {
    const client = await McpTestClient.connect(app.origin, owner.key, mode);
    try {
      expect([client.version, client.capabilities]).toEqual([
        version,
        { tools: { listChanged: false } },
      ]);
      expect((await client.ok('whoami')).data.role).toBe('owner');
    } finally {
      await client.close();
    }
  });

  it('connects to any instance, and each of them answers the next message', async () => {
    const replica = await TestApp.start({ database: app.database });
    try {
      const [first, second] = await Promise.all(
        [app, replica].map(({ origin }) => McpTestClient.connect(origin, owner.key)),
      );
      expect(await first?.names()).toEqual(await second?.names());
      await Promise.all([first?.close(), second?.close()]);
    } finally {
      await replica.close();
    }
  });
});
