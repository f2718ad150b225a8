import { once } from 'node:events';
import { Agent, request, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { connect as connectPlain } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { MountedSecret, newPair, type Pair } from '../support/certificates';
import { eventually } from '../support/eventually';
import { TestApp, type Member } from '../support/test-app';
import { ServiceProcess } from './service-process';

// Each program takes its time to start.
jest.setTimeout(120_000);

const PATIENCE_MS = 60_000;

let app: TestApp;
let owner: Member;
let first: Pair;
let second: Pair;
let secret: MountedSecret;
let service: ServiceProcess;
let port: number;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  [first, second] = await Promise.all([newPair('first.test'), newPair('second.test')]);
  secret = await MountedSecret.create(first);
  service = await start();
  port = await portOf(service);
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await secret.remove();
  await app.close();
});

function start(settings: Record<string, string> = {}): Promise<ServiceProcess> {
  return ServiceProcess.ready({
    DATABASE_URL: app.database.url,
    HOST: '127.0.0.1',
    REQUIRE_HTTPS: 'on',
    RATE_LIMIT_REQUESTS: '1000000',
    TLS_CERT_FILE: secret.certFile,
    TLS_KEY_FILE: secret.keyFile,
    ...settings,
  });
}

async function portOf(started: ServiceProcess): Promise<number> {
  const origin = await started.origin();
  expect(origin).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  return Number(new URL(origin).port);
}

async function handshake(options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

/** Returns the common name of the certificate that new connections get. */
async function shown(): Promise<string> {
  const socket = await handshake();
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

interface Options extends RequestOptions {
  readonly body?: string;
}

interface Got {
  readonly status: number | undefined;
  readonly body: string;
  readonly response: IncomingMessage;
}

async function get(path: string, options: Options = {}): Promise<Got> {
  const sent = request({
    port,
    host: '127.0.0.1',
    path,
    rejectUnauthorized: false,
    headers: { authorization: `Bearer ${owner.key}` },
    ...options,
  }).end(options.body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response), response };
}

const logged = (msg: string, by = service): number =>
  by.log().filter((line) => line['msg'] === msg).length;

describe('TLS_CERT_FILE and TLS_KEY_FILE', () => {
  it('enable HTTPS with the headers and rejections of plain HTTP', async () => {
    const { status, response } = await get('/api/v1/public/me', { ca: first.cert });
    expect(status).toBe(200);
    expect(response.headers['strict-transport-security']).toMatch(/^max-age=\d+/);

    const socket = await handshake();
    socket.write('nonsense\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 [^]*"code":"invalid_request"/);

    const large = await handshake();
    large.write(`GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`);
    expect(await text(large)).toMatch(/^HTTP\/1\.1 431 [^]*"code":"headers_too_large"/);
  });

  it('make the cookie of the console Secure', async () => {
    const password = 'a password of the tests';
    await app.setPassword(owner, password);
    const { response } = await get('/console/api/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: owner.email, password }),
    });
    const cookies = response.headers['set-cookie'] ?? [];
    expect(cookies).toHaveLength(1);
    for (const cookie of cookies) expect(cookie).toContain('; Secure');
  });

  it('allow TLS 1.2 and newer, and no plain HTTP', async () => {
    for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
      const socket = await handshake({ minVersion: version, maxVersion: version });
      expect(socket.getProtocol()).toBe(version);
      socket.destroy();
    }
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(handshake(old as ConnectionOptions)).rejects.toThrow(/protocol version|alert/i);

    const plain = connectPlain(port, '127.0.0.1');
    plain.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n');
    expect(await text(plain)).not.toContain('HTTP/1.1');
    expect((await get('/health/live')).status).toBe(200);
  });

  it('are read again when they change, without losing a connection', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const run = { isOver: false };
    const statuses: (number | undefined)[] = [];
    const sockets = new Set<unknown>();
    const loaded = (async () => {
      while (!run.isOver) {
        const { status, response } = await get('/api/v1/public/me', { agent });
        statuses.push(status);
        sockets.add(response.socket);
      }
    })();
    const moreAreServed = (): Promise<unknown> => {
      const already = statuses.length;
      return Promise.race([loaded, eventually(() => statuses.length > already, PATIENCE_MS)]);
    };
    expect(await shown()).toBe('first.test');
    await moreAreServed();
    await secret.swap(second);
    await eventually(async () => (await shown()) === 'second.test', PATIENCE_MS);
    await eventually(() => logged('certificate changed') > 0, PATIENCE_MS);
    await moreAreServed();

    // A pair that does not match is logged and changes nothing.
    await secret.swap({ cert: first.cert, private: second.private });
    const failedReload = 'certificate reload failed, keeping the current certificate';
    await eventually(() => logged(failedReload) > 0, PATIENCE_MS);
    await moreAreServed();
    expect(await shown()).toBe('second.test');
    await secret.swap(first);
    await eventually(async () => (await shown()) === 'first.test', PATIENCE_MS);
    await moreAreServed();

    run.isOver = true;
    await loaded;
    agent.destroy();
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(sockets.size).toBe(1);
    expect(service.stdout()).not.toContain('PRIVATE KEY');
  });

  it('do not delay a stop because of handshakes or unused connections', async () => {
    // The test itself does not last that long.
    const stopped = await start({ SHUTDOWN_GRACE_SECONDS: '600' });
    const its = { port: await portOf(stopped) };
    const half = connectPlain(its.port, '127.0.0.1');
    await once(half, 'connect');
    const unused = await handshake(its);
    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
    await get('/health/live', { ...its, agent });
    const gone = [half, unused].map((socket) => once(socket.resume(), 'close'));
    expect(await stopped.stop()).toBe(0);
    await Promise.all(gone);
    agent.destroy();
  });
});

describe('an invalid certificate', () => {
  let unfit: MountedSecret;
  beforeAll(async () => {
    unfit = await MountedSecret.create({ cert: first.cert, private: second.private });
  });
  afterAll(() => unfit.remove());

  const rejected = async (settings: Record<string, string>): Promise<string> => {
    const { certFile, keyFile } = unfit;
    const failing = ServiceProcess.start({
      DATABASE_URL: app.database.url,
      TLS_CERT_FILE: certFile,
      TLS_KEY_FILE: keyFile,
      ...settings,
    });
    expect(await failing.exit()).toBe(1);
    expect(failing.stderr()).toMatch(/^[^\n]+\n$/);
    return failing.stderr();
  };

  it('is reported in one line', async () => {
    expect(await rejected({ TLS_KEY_FILE: '' })).toBe(
      'Wrong setting: TLS_CERT_FILE must be set together with TLS_KEY_FILE\n',
    );
    expect(await rejected({ TLS_CERT_FILE: '' })).toBe(
      'Wrong setting: TLS_KEY_FILE must be set together with TLS_CERT_FILE\n',
    );
    expect(await rejected({ TLS_KEY_FILE: '/nowhere' })).toBe(
      'Wrong setting: TLS_KEY_FILE must be a file that can be read (it is "/nowhere"): ENOENT\n',
    );
    expect(await rejected({})).toMatch(
      /^Wrong setting: TLS_CERT_FILE and TLS_KEY_FILE must hold a certificate and its key/,
    );
  });
});
