import { once } from 'node:events';
import { connect } from 'node:net';
import { API } from '../support/api-client';
import { eventually } from '../support/eventually';
import { describeWithRedis, RedisServer } from '../support/redis-server';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { printFigures } from './support/figures';
import { heapMiB, heapSettings } from './support/heap';
import { Replicas } from './support/replicas';

/** src/platform/throttling/rate-counter.long.spec.ts tests a million addresses, which take minutes over HTTP. */
const ADDRESSES = 20_000;
const CONNECTIONS = 4;
/** Pipelined requests of each connection: fewer in total than MAX_CONCURRENT_REQUESTS. */
const AT_ONCE = 100;
const WINDOW_SECONDS = 3;
const PATIENCE_MS = 60_000;

let database: TestDatabase;
let redis: RedisServer;
let replicas: Replicas;

async function setUp(): Promise<void> {
  [database, redis] = await Promise.all([createTestDatabase(), RedisServer.start()]);
  replicas = await Replicas.start(1, {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    AUTH_FAILURE_LIMIT: '60',
    authFailureWindowSeconds: WINDOW_SECONDS,
    TRUSTED_PROXIES: '127.0.0.1',
    // Requests must be counted, not rejected because of load.
    MAX_CONCURRENT_REQUESTS: '1000',
    maxEventLoopDelayMs: 60_000,
    ...heapSettings(),
  });
}

async function tearDown(): Promise<void> {
  await replicas.kill();
  await redis.remove();
  await database.drop();
}

/** A request without a key, as a proxy forwards it from the n-th client address. */
const requestOf = (n: number): string =>
  [
    `GET ${API}/me HTTP/1.1`,
    'Host: localhost',
    `X-Forwarded-For: 2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`,
    '\r\n',
  ].join('\r\n');

const occurrences = (text: string, of: RegExp): number => text.match(of)?.length ?? 0;

/** Sends a request from each address, and returns the number of 401 responses. */
async function sendFrom(firstAddress: number, count: number): Promise<number> {
  const socket = connect(Number(new URL(replicas.origins[0] ?? '').port), '127.0.0.1');
  let [sent, rejected, received] = [0, 0, ''];
  const send = (): void => {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - sent) }, (_, n) => n);
    socket.write(numbers.map((n) => requestOf(firstAddress + sent + n)).join(''));
    sent += numbers.length;
  };
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
    const all = Math.min(AT_ONCE, sent);
    if (occurrences(received, /"requestId":"[^"]+"\}\}/g) < all) return;
    rejected += occurrences(received, /HTTP\/1\.1 401 /g);
    received = '';
    if (sent < count) send();
    else socket.end();
  });
  send();
  await once(socket, 'close');
  return rejected;
}

const heldByRedis = (): Promise<number> => redis.query((client) => client.dbsize());

describeWithRedis('failed authentication from many addresses', () => {
  beforeAll(setUp);
  afterAll(tearDown);

  it('uses little memory, which the service and Redis release after the window', async () => {
    const service = replicas.get(0);
    await sendFrom(1 << 20, 2_000);
    await eventually(async () => (await heldByRedis()) <= 1, PATIENCE_MS);
    const before = await heapMiB(service);
    const each = ADDRESSES / CONNECTIONS;
    const rejected = await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, n) => sendFrom(n * each, each)),
    );
    const [during, keys] = [await heapMiB(service), await heldByRedis()];
    await eventually(async () => (await heldByRedis()) <= 1, PATIENCE_MS);
    const after = await eventually(async () => {
      const now = await heapMiB(service);
      return now - before < 3 && now;
    }, PATIENCE_MS);
    printFigures('failed authentication from many addresses', {
      addresses: ADDRESSES,
      'heap MiB before': before,
      during: during,
      after: after,
      'names in Redis': keys,
    });
    expect(rejected).toEqual(rejected.map(() => each));
    expect(during - before).toBeLessThan(30);
  });
});
