import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { connectionLimit } from '../../../src/platform/http/open-connections';
import { API } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { newDatagrid } from '../../support/fixture';
import { waitingForLocks } from '../../support/locks';
import { METRICS_ON, metricsUrl, Scrape } from '../../support/scrape';
import { TestApp, type Member } from '../../support/test-app';

const LIMIT = 8;
/** The number of connections that one client address may have. */
const SHARE = 4;

let app: TestApp;
let owner: Member;
let sockets: Socket[];

beforeAll(async () => {
  app = await TestApp.start({ settings: { MAX_CONNECTIONS: String(LIMIT), ...METRICS_ON } });
  owner = await app.newAccount();
});

afterAll(() => app.close());

beforeEach(() => {
  sockets = [];
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
});

const open = async (): Promise<number> =>
  (await Scrape.of(await metricsUrl(app))).sum('datagrid_connections_open');

/** Opens a connection from one of the loopback addresses. */
async function dial(localAddress: string): Promise<Socket> {
  const socket = connect({ port: app.port, host: '127.0.0.1', localAddress });
  socket.on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

/** Sends a request over a kept-alive connection of the agent. */
async function get(
  agent: Agent,
  localAddress: string,
): Promise<{ status: number; socket: Socket }> {
  const headers = { authorization: `Bearer ${owner.key}` };
  const options = { host: '127.0.0.1', port: app.port, path: `${API}/me`, agent, headers };
  const sent = request({ ...options, localAddress }).end();
  const [response] = (await once(sent, 'response')) as [
    { statusCode: number; socket: Socket; resume: () => void },
  ];
  const { socket } = response;
  response.resume();
  await once(response as never, 'end');
  return { status: response.statusCode, socket };
}

describe('connections beyond the limit', () => {
  it('replace idle ones of the same address, and requests are served', async () => {
    for (let n = 0; n < 5 * LIMIT; n += 1) await dial('127.0.0.2');
    await eventually(async () => (await open()) <= LIMIT);
    expect((await owner.api.get('/me')).status).toBe(200);
    const oldest = sockets.slice(0, 5 * LIMIT - SHARE);
    await eventually(() => oldest.every(({ destroyed }) => destroyed));
    expect(sockets.slice(-SHARE).map(({ destroyed }) => destroyed)).toEqual(
      Array.from({ length: SHARE }, () => false),
    );
  });

  it('do not close the connections of an address with fewer', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = await get(agent, '127.0.0.9');
    for (let n = 0; n < 3 * LIMIT; n += 1) {
      await dial(`127.0.0.${String(2 + (n % 3))}`);
      const again = await get(agent, '127.0.0.9');
      expect([again.status, again.socket === first.socket]).toEqual([200, true]);
    }
    expect(await open()).toBeLessThanOrEqual(LIMIT);
    agent.destroy();
  });

  it('never close one with a request in progress, and are rejected if none is idle', async () => {
    const url = await metricsUrl(app);
    const grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
    const lock = new Client({ connectionString: app.database.url });
    await lock.connect();
    await lock.query('BEGIN; SELECT FROM datagrid_counters FOR UPDATE');
    const body = '{"rows":[{"values":{"n":1}}]}';
    const responses: string[] = [];
    for (let n = 0; n < SHARE; n += 1) {
      const socket = await dial('127.0.0.6');
      socket.setEncoding('utf8').on('data', (text: string) => responses.push(text.slice(9, 12)));
      socket.write(
        [
          `POST ${API}${grid}/rows HTTP/1.1`,
          'Host: localhost',
          `Authorization: Bearer ${owner.key}`,
          'Content-Type: application/json',
          `Content-Length: ${String(body.length)}`,
          '',
          body,
        ].join('\r\n'),
      );
    }
    await eventually(async () => (await waitingForLocks(app)) === SHARE);
    const before = (await Scrape.of(url)).sum('datagrid_connections_closed_total', {
      reason: 'rejected',
    });
    const late = await dial('127.0.0.6');
    await eventually(() => late.destroyed);
    const after = await Scrape.of(url);
    const rejected = after.sum('datagrid_connections_closed_total', { reason: 'rejected' });
    expect(rejected - before).toBe(1);
    await lock.query('COMMIT');
    await lock.end();
    await eventually(() => responses.length === SHARE);
    expect(responses).toEqual(['201', '201', '201', '201']);
  });
});

describe('the limit on connections', () => {
  const use = { databasePoolSize: 10, maxConcurrentImports: 4, maxConcurrentExports: 2 };

  it.each([
    [4_000, Infinity, 4_000],
    [4_000, 1_048_576, 4_000],
    [4_000, 700, 578],
    [100, 700, 100],
    [4_000, 64, 16],
  ])('is %d with %d open files: %d', (maxConnections, descriptors, limit) => {
    expect(connectionLimit({ ...use, maxConnections }, descriptors)).toBe(limit);
  });
});
