import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiResponse } from '../../support/api-client';
import type { ConsoleClient } from '../../support/console-client';
import { expectFailure } from '../../support/failure';
import { dataOf } from '../../support/fixture';
import { OauthApplication, tokensOf } from '../../support/oauth-application';
import { TestApp } from '../../support/test-app';

let app: TestApp;
let console_: ConsoleClient;
let clientId: string;
let redirectUri: string;
let requests = 0;
let answer: (response: ServerResponse) => void;

const server = createServer((_request, response) => {
  requests += 1;
  answer(response);
});

beforeAll(async () => {
  app = await TestApp.shared();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await app.close();
});

let count = 0;

beforeEach(async () => {
  console_ = await app.console(await app.newAccount());
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  // Documents are kept for some minutes.
  clientId = `${origin}/client-${String((count += 1))}.json`;
  redirectUri = `${origin}/callback`;
  requests = 0;
  answer = sending({});
});

const sending =
  (change: object, type = 'application/json') =>
  (response: ServerResponse): void => {
    const usual = { client_id: clientId, client_name: 'Published', redirect_uris: [redirectUri] };
    response.writeHead(200, { 'content-type': type });
    response.end(JSON.stringify({ ...usual, ...change }));
  };

const describeRequest = (id = clientId): Promise<ApiResponse> => {
  const application = new OauthApplication(app.origin, id, redirectUri);
  return console_.post('/applications/request', { query: application.query() });
};

describe('an application that publishes its metadata', () => {
  it('is known by the host of the document, and needs no registration', async () => {
    expect(dataOf(await describeRequest(), 200)).toMatchObject({
      application: { name: 'Published', clientId, verifiedHost: new URL(clientId).host },
    });
    const application = new OauthApplication(app.origin, clientId, redirectUri);
    const { refresh } = await application.tokens(console_);
    tokensOf(await application.refresh(refresh));
    expect(requests).toBe(1);
  });

  it('is not authorized with a redirect URI that is not in the document', async () => {
    answer = sending({ redirect_uris: ['https://app.example.com/callback'] });
    expectFailure(await describeRequest(), 'conflict');
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['of another application', sending({ client_id: 'https://a.example/client' })],
    ['without an application', sending({ client_id: undefined })],
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
    'http://10.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://169.254.169.254/client.json',
    'https://localhost/client.json',
    'https://example.com',
    'https://example.com/',
    'https://example.com/a/../client.json',
    'https://user@example.com/client.json',
    'https://example.com/client.json#',
    'ftp://example.com/client.json',
    `https://example.com/${'a'.repeat(500)}`,
  ])('cannot be at %s', async (url) => {
    expectFailure(await describeRequest(url), 'conflict');
    expect(requests).toBe(0);
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
