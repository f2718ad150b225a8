import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { buildConnector } from 'undici';
import { ClientDocuments } from '../../../src/auth/oauth/client-document';
import { AddressPolicy } from '../../../src/platform/outbound/address-policy';
import { checkedConnector } from '../../../src/platform/outbound/checked-connector';
import type { ApiResponse } from '../../support/api-client';
import { newPair } from '../../support/certificates';
import type { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf } from '../../support/fixture';
import { OauthApplication, tokensOf } from '../../support/oauth-application';
import { TestApp } from '../../support/test-app';

/** A name that leads to the server of this file, as if that had a public address. */
const HOST = 'client.example';

let app: TestApp;
let documents: ClientDocuments;
let real: ClientDocuments['network'];
let console_: ConsoleClient;
let server: Server;
let port: string;
let clientId: string;
let redirectUri: string;
let requests = 0;
let connections = 0;
let answer: (response: ServerResponse) => void;

beforeAll(async () => {
  app = await TestApp.shared();
  const { cert, private: key } = await newPair(HOST);
  server = createServer({ cert, key }, (_request, response) => {
    requests += 1;
    answer(response);
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = String((server.address() as AddressInfo).port);
  documents = app.nest.get(ClientDocuments, { strict: false });
  real = { ...documents.network };
  const connect = checkedConnector(new AddressPolicy(['127.0.0.1']), {
    timeoutMs: 10_000,
    ca: cert,
    resolve: (_host, callback) => {
      callback(null, [{ address: '127.0.0.1', family: 4 }]);
    },
  });
  Object.assign(documents.network, {
    connect: (options: buildConnector.Options, callback: buildConnector.Callback) => {
      connect({ ...options, port }, callback);
    },
  });
});

afterAll(async () => {
  Object.assign(documents.network, real);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await app.close();
});

let count = 0;

beforeEach(async () => {
  console_ = await app.console(await app.newAccount());
  const origin = `https://${HOST}`;
  // Documents are kept for some minutes.
  clientId = `${origin}/client-${String((count += 1))}.json`;
  redirectUri = `${origin}/callback`;
  requests = 0;
  connections = 0;
  answer = sending({});
});

const sending =
  (change: object, type = 'application/json') =>
  (response: ServerResponse): void => {
    const usual = { client_id: clientId, client_name: 'Published', redirect_uris: [redirectUri] };
    response.writeHead(200, { 'content-type': type });
    response.end(JSON.stringify({ ...usual, ...change }));
  };

const describeRequest = (
  id = clientId,
  change: Readonly<Record<string, string | undefined>> = {},
): Promise<ApiResponse> => {
  const application = new OauthApplication(app.origin, id, redirectUri);
  return console_.post('/applications/request', { query: application.query(change) });
};

describe('an application that publishes its metadata', () => {
  it('is known by the host of the document, and needs no registration', async () => {
    expect(dataOf(await describeRequest(), 200)).toMatchObject({
      application: { name: 'Published', clientId, documentHost: new URL(clientId).host },
    });
    const application = new OauthApplication(app.origin, clientId, redirectUri);
    const { refresh } = await application.tokens(console_);
    tokensOf(await application.refresh(refresh));
    expect(requests).toBe(1);
  });

  it('may say that it has no secret', async () => {
    answer = sending({ token_endpoint_auth_method: 'none' });
    expect((await describeRequest()).status).toBe(200);
  });

  it('is not authorized by a session that ended while its document was read', async () => {
    const arrived = new Promise<ServerResponse>((resolve) => (answer = resolve));
    const application = new OauthApplication(app.origin, clientId, redirectUri);
    const body = { query: application.query(), scopes: ['rows:write'], lifetimeDays: 30 };
    const allowed = console_.post('/applications', body);
    const response = await arrived;
    expect((await console_.delete('/session')).status).toBe(204);
    sending({})(response);
    expectFailure(await allowed, 'unauthenticated');
    expect(requests).toBe(1);
    const { rows } = await app.sql.query('SELECT FROM oauth_grants WHERE client_id = $1', [
      clientId,
    ]);
    expect(rows).toEqual([]);
  });

  it('is read once to be authorized, so that what was checked is what gets access', async () => {
    const application = new OauthApplication(app.origin, clientId, redirectUri);
    const read = jest.spyOn(documents, 'read');
    await application.allowed(console_);
    expect(read).toHaveBeenCalledTimes(1);
    read.mockRestore();
  });

  it('is not authorized with a redirect URI that is not in the document', async () => {
    answer = sending({ redirect_uris: ['https://app.example.com/callback'] });
    expectFailure(await describeRequest(), 'conflict');
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['of another application', sending({ client_id: 'https://a.example/client' })],
    ['without an application', sending({ client_id: undefined })],
    ['with a secret', sending({ client_secret: 'a' })],
    ['of a client with a secret', sending({ token_endpoint_auth_method: 'client_secret_basic' })],
    ['of a client with a key', sending({ token_endpoint_auth_method: 'private_key_jwt' })],
    ['that is a page', sending({}, 'text/html')],
    ['with a script as redirect URI', sending({ redirect_uris: ['javascript:1'] })],
    ['that is large', sending({ more: 'x'.repeat(17 * 1024) })],
    ['that is no JSON', (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{')],
    ['that is null', (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('null')],
    ['elsewhere', (r) => r.writeHead(302, { location: '/client.json' }).end()],
    ['that is missing', (r) => r.writeHead(404).end()],
    ['that is not sent', (r) => r.destroy()],
    [
      'that breaks off',
      (r) => {
        r.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        r.write('{', () => r.destroy());
      },
    ],
  ])('is not known by a document %s', async (_, respond) => {
    answer = respond;
    expectFailure(await describeRequest(), 'conflict');
    expect(requests).toBe(1);
  });

  it.each([
    'http://HOST/client.json',
    'https://HOST',
    'https://HOST:PORT/client.json',
    'https://HOST/',
    'https://HOST/a/../client.json',
    'https://user@HOST/client.json',
    'https://HOST/client.json#',
    'https://HOST/client.json#a',
    'ftp://HOST/client.json',
    `https://HOST/${'a'.repeat(500)}`,
  ])('is not asked for a document at %s', async (url) => {
    expectFailure(
      await describeRequest(url.replace('HOST', HOST).replace('PORT', port)),
      'conflict',
    );
    expect([requests, connections]).toEqual([0, 0]);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['a malformed redirect URI', { redirect_uri: 'javascript:alert(1)' }],
    ['no redirect URI', { redirect_uri: undefined }],
    ['another response type', { response_type: 'token' }],
    ['no PKCE', { code_challenge: undefined }],
    ['the resource of another host', { resource: 'https://evil.example/mcp' }],
    ['a parameter that is too long', { state: 'a'.repeat(2_001) }],
  ])('is not asked for its document by a request with %s', async (_, change) => {
    expectFailure(await describeRequest(clientId, change), 'conflict');
    expect(requests).toBe(0);
    expect((await describeRequest()).status).toBe(200);
    expect(requests).toBe(1);
  });

  it('is not known by a document that takes long', async () => {
    await app.withSettings({ clientDocumentTimeoutMs: 50 }, async () => {
      answer = (response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write('{');
      };
      expectFailure(await describeRequest(), 'conflict');
      answer = () => undefined;
      expectFailure(await describeRequest(), 'conflict');
    });
  });

  it('is read by few requests of an account at the same time', async () => {
    const held: ServerResponse[] = [];
    const arrived = new Promise<void>((resolve) => {
      answer = (response) => {
        if (held.push(response) === 2) resolve();
      };
    });
    const slow = [describeRequest(`${clientId}?1`), describeRequest(`${clientId}?2`)];
    await arrived;
    expectFailure(await describeRequest(`${clientId}?3`), 'rate_limited');
    for (const response of held) response.destroy();
    for (const response of await Promise.all(slow)) expectFailure(response, 'conflict');
  });
});

describe('a private address', () => {
  // It leads to the server of this file, if the address may be connected to.
  beforeAll(() => {
    Object.assign(documents.network, {
      connect: (options: buildConnector.Options, callback: buildConnector.Callback) => {
        real.connect({ ...options, port }, callback);
      },
    });
  });

  // The operator of the tests allows connections to 127.0.0.0/8, which is not for documents.
  it.each(['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'])(
    'is not connected to for a document at %s',
    async (host) => {
      for (const scheme of ['https', 'http'])
        expectFailure(
          await describeRequest(new URL(`${scheme}://${host}/client.json`).href),
          'conflict',
        );
      expect([requests, connections]).toEqual([0, 0]);
    },
  );
});
