import { connect, type Socket } from 'node:net';
import { API } from '../support/api-client';
import { withClient } from '../support/database-url';
import { eventually } from '../support/eventually';
import { newDatagrid } from '../support/fixture';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { printFigures } from './support/figures';
import { Loader } from './support/loader';
import { processFigures } from './support/process-figures';
import { quantile } from './support/quantile';
import { newOwner, type Owner } from './support/owner';
import { Replicas } from './support/replicas';

const OF_EACH = 100;
const POOL_SIZE = 4;
/** Connections that one account may use: one is reserved for other accounts, one for the service. */
const ACCOUNT_CONNECTIONS = 2;
const HEADERS_SECONDS = 2;
const CLIENT_SECONDS = 4;
/** With `ROWS` more than the socket buffers of both ends. */
const ROW_BYTES = 100_000;
const ROWS = 100;

let database: TestDatabase;
let replicas: Replicas;
let owner: Owner;
let path: string;

beforeAll(async () => {
  database = await createTestDatabase();
  replicas = await Replicas.start(1, {
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    // Pages of large rows are read one after another.
    DATABASE_ACQUIRE_TIMEOUT_MS: '30000',
    headersTimeoutSeconds: HEADERS_SECONDS,
    REQUEST_TIMEOUT_SECONDS: String(CLIENT_SECONDS),
    // Large enough for all clients, because a rejection is too short to be read slowly.
    MAX_BUFFERED_BYTES: '1000000000',
  });
  owner = await newOwner(database.url);
  const api = replicas.api(0, owner.key);
  path = await newDatagrid(api, [{ key: 'text', type: 'text' }]);
  const row = { values: { text: 'x'.repeat(ROW_BYTES) } };
  const response = await api.post(`${path}/rows`, {
    rows: Array.from({ length: ROWS }, () => row),
  });
  expect(response.status).toBe(201);
});

afterAll(async () => {
  await replicas.kill();
  await database.drop();
});

interface SlowClient {
  readonly socket: Socket;
  readonly text: () => string;
  /** Time until the connection was closed; undefined while it is open. */
  readonly cutAfterMs: () => number | undefined;
}

const head = (method: string, more: readonly string[] = []): string =>
  [
    `${method} ${API}${path}/rows${method === 'GET' ? '?limit=100' : ''} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${owner.key}`,
    ...more,
    '',
  ].join('\r\n');

/** Connects, sends `bytes`, and then `drip` repeatedly; reads nothing if `drip` is null. */
function slowClient(bytes: string, drip: string | null): SlowClient {
  const beganAtMs = performance.now();
  const socket = connect(Number(new URL(replicas.origins[0] ?? '').port), '127.0.0.1');
  let text = '';
  let cutAfterMs: number | undefined;
  socket.on('error', () => undefined);
  socket.write(bytes);
  // A paused socket notices that it was closed only when it writes.
  const timer = setInterval(() => socket.write(drip ?? ''), 250);
  if (drip === null) socket.pause();
  else socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  socket.on('close', () => {
    clearInterval(timer);
    cutAfterMs = performance.now() - beganAtMs;
  });
  return { socket, text: () => text, cutAfterMs: () => cutAfterMs };
}

const socketsOf = async (all: Replicas): Promise<number> =>
  (await processFigures(all.get(0).child.pid ?? 0)).sockets;

/** Returns the number of requests of the account that wait for a lock. Background jobs also wait. */
const waiting = (): Promise<number | null> =>
  withClient(database.url, async (client) => {
    const { rowCount } = await client.query(`
      SELECT FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query ~ 'FROM workspaces\\s+WHERE account_id'`);
    return rowCount;
  });

/** Opens all database connections that the account may use, so that later sockets are those of clients. */
const openPool = (): Promise<void> =>
  withClient(database.url, async (client) => {
    await client.query('BEGIN; LOCK TABLE workspaces');
    // Another session asks, because within a transaction pg_stat_activity never changes.
    await eventually(async () => (await waiting()) === ACCOUNT_CONNECTIONS, 60_000);
  });

const many = (make: () => SlowClient): SlowClient[] => Array.from({ length: OF_EACH }, make);

it('closes slow clients and serves all other requests', async () => {
  const loader = new Loader({
    origins: replicas.origins,
    key: owner.key,
    clients: POOL_SIZE,
    next: () => ({ method: 'GET', path: '/workspaces' }),
  });
  await eventually(() => loader.results.length > 100, 60_000);
  await openPool();
  const before = await socketsOf(replicas);
  const beganAtMs = performance.now();
  const headers = many(() => slowClient(head('GET', ['X-Slow: ']).trimEnd(), 'x'));
  const json = ['Content-Type: application/json', 'Content-Length: 1000', ''];
  const bodies = many(() => slowClient(head('POST', json), ' '));
  const readers = Array.from({ length: OF_EACH / 5 }, () => slowClient(`${head('GET')}\r\n`, null));

  const isCut = ({ cutAfterMs }: SlowClient): boolean => cutAfterMs() !== undefined;
  await eventually(() => [...headers, ...bodies].every(isCut), 60_000);
  // Clients that read nothing do not notice. The service has closed their connections.
  await eventually(async () => (await socketsOf(replicas)) <= before + 2, 60_000);
  const readersLastedMs = performance.now() - beganAtMs;
  const results = await loader.stop();
  for (const { socket } of readers) socket.destroy();

  const tookMs = results.map((result) => result.tookMs);
  const lasted = (clients: readonly SlowClient[]): number =>
    Math.max(...clients.map(({ cutAfterMs }) => cutAfterMs() ?? Infinity));
  printFigures('slow clients beside four others', {
    'slow headers, bodies, readers': `${String(OF_EACH)}, ${String(OF_EACH)}, ${String(readers.length)}`,
    'headers cut after ms': lasted(headers),
    'bodies cut after ms': lasted(bodies),
    'readers cut after ms': readersLastedMs,
    requests: results.length,
    failed: results.filter(({ status }) => status !== 200).length,
    'p50 ms': quantile(tookMs, 0.5),
    'p99 ms': quantile(tookMs, 0.99),
  });
  for (const { text } of [...headers, ...bodies])
    expect(text()).toMatch(/^HTTP\/1\.1 408 .*"request_timeout"/s);
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]));
});
