import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expectFailure } from '../support/failure';
import { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { onDatabase, withClient } from '../support/database-url';
import { TcpProxy } from '../faults/support/tcp-proxy';
import { ServiceProcess } from './service-process';

// Each program takes its time to start.
jest.setTimeout(120_000);

const server = process.env['TEST_SERVER_URL'] ?? '';
const name = `datagrid_test_${randomBytes(8).toString('hex')}`;
const WAITING = 'database unavailable at start, waiting';

let proxy: TcpProxy;
/** The URL of the database through the proxy. */
let url: string;

const admin = (sql: string): Promise<unknown> => withClient(server, (client) => client.query(sql));
const make = (): Promise<unknown> =>
  admin(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
const remove = (): Promise<unknown> => admin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);

beforeAll(async () => {
  const socketDir = new URL(server.replace('@/', '@host/')).searchParams.get('host') ?? '';
  proxy = await TcpProxy.start({ path: `${socketDir}/.s.PGSQL.5432` });
  url = onDatabase(`postgres://app@127.0.0.1:${String(proxy.port)}/x`, name);
});

beforeEach(make);

afterEach(async () => {
  await ServiceProcess.killAll();
  proxy.heal();
  await remove();
});

afterAll(() => proxy.close());

async function freePort(): Promise<string> {
  const probe = createServer().listen(0);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return String(port);
}

interface Waiting {
  readonly service: ServiceProcess;
  readonly origin: string;
}

async function startWaiting(settings: Record<string, string> = {}): Promise<Waiting> {
  const PORT = await freePort();
  const service = ServiceProcess.start({ DATABASE_URL: url, PORT, ...settings });
  await eventually(() => service.log().some(({ msg }) => msg === WAITING), 60_000);
  return { service, origin: `http://127.0.0.1:${PORT}` };
}

const status = async (where: string): Promise<number> => (await fetch(where)).status;

describe('a start while the database is unavailable', () => {
  it('is alive and not ready, rejects every request with Retry-After, and serves once the database is available', async () => {
    proxy.reject();
    const { service, origin } = await startWaiting();
    const live = await fetch(`${origin}/health/live`);
    expect([live.status, await live.json()]).toEqual([200, { data: { status: 'ok' } }]);
    expect(await status(`${origin}/health/ready`)).toBe(503);
    const api = new ApiClient(origin, `mk_${'x'.repeat(36)}`);
    for (const response of [await api.get('/me'), await api.post('/workspaces', { name: 'W' })]) {
      expectFailure(response, 'unavailable');
      expect(response.headers.get('retry-after')).toBe('1');
      expect(response.headers.get('x-request-id')).toBe(response.body.error.requestId);
    }
    expect(service.stderr()).toMatch(
      /^Cannot reach the database: [^\n]+ Check DATABASE_URL\. Retrying\.\n$/,
    );

    proxy.heal();
    await eventually(async () => (await status(`${origin}/health/ready`)) === 200, 60_000);
    expect(await service.origin()).toBe(origin.replace('127.0.0.1', 'localhost'));
    expect((await api.get('/me')).status).toBe(401);
    expect(service.log().filter(({ level }) => level === 'fatal')).toEqual([]);
    expect(await service.stop()).toBe(0);
  });

  it.each([
    ['a network that drops everything', 'blackhole'],
    ['a server that rejects connections', 'reject'],
  ] as const)('ends at once on SIGTERM with %s', async (_, fault) => {
    proxy[fault]();
    // The test itself does not last that long.
    const { service } = await startWaiting({ SHUTDOWN_GRACE_SECONDS: '600' });
    expect(await service.stop()).toBe(0);
  });

  it('continues when the missing database is created', async () => {
    await remove();
    const { service, origin } = await startWaiting();
    expect(service.stderr()).toContain('does not exist');
    await make();
    await eventually(async () => (await status(`${origin}/health/ready`)) === 200, 60_000);
  });

  it('does not print the password', async () => {
    proxy.reject();
    const secret = url.replace('app@', 'someone:hunter2@');
    const { service } = await startWaiting({ DATABASE_URL: secret });
    expect(service.stderr() + service.stdout()).not.toContain('hunter2');
  });
});

describe('a start on a schema that is newer than the release', () => {
  it('serves, and logs a warning with the unknown migrations', async () => {
    const first = await ServiceProcess.ready({ DATABASE_URL: url });
    expect(await first.stop()).toBe(0);
    await withClient(onDatabase(server, name), (client) =>
      client.query("INSERT INTO schema_migrations (timestamp, name) VALUES (9999, 'Later9999')"),
    );
    const service = await ServiceProcess.ready({ DATABASE_URL: url });
    expect(service.log()).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'schema is newer than this release',
        migrations: ['Later9999'],
      }),
    );
    expect(await service.stop()).toBe(0);
  });
});
