import { once } from 'node:events';
import { connect } from 'node:net';
import { API } from '../support/api-client';
import { eventually } from '../support/eventually';
import { describeWithRedis, RedisServer } from '../support/redis-server';
import { printFigures } from './support/figures';
import { heapMiB, heapSettings } from './support/heap';
import { PostgresServer } from './support/postgres-server';
import { Replicas } from './support/replicas';

/** A million of them take minutes over HTTP; src/platform/throttling/windows.spec.ts counts so many. */
const ADDRESSES = 30_000;
const CONNECTIONS = 4;
const AT_ONCE = 250;
const WINDOW_SECONDS = 20;

let postgres: PostgresServer;
let redis: RedisServer;
let replicas: Replicas;

async function setUp(): Promise<void> {
  [postgres, redis] = await Promise.all([PostgresServer.start(), RedisServer.start()]);
  replicas = await Replicas.start(1, {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    AUTH_FAILURE_LIMIT: '60',
    AUTH_FAILURE_WINDOW_SECONDS: String(WINDOW_SECONDS),
    TRUSTED_PROXIES: '127.0.0.1',
    ...heapSettings(),
  });
}

async function tearDown(): Promise<void> {
  await replicas.kill();
  await redis.remove();
  await postgres.remove();
}

/** A request without a key, as a proxy passes it on from the address with that number. */
const requestOf = (n: number): string =>
  [
    `GET ${API}/me HTTP/1.1`,
    'Host: localhost',
    `X-Forwarded-For: 2001:db8:${(n >> 16).toString(16)}:${(n & 0xffff).toString(16)}::1`,
    '\r\n',
  ].join('\r\n');

/** Sends a request from each of the addresses, and counts the answers that are 401. */
async function askFrom(firstAddress: number, count: number): Promise<number> {
  const socket = connect(Number(new URL(replicas.origins[0] ?? '').port), '127.0.0.1');
  let [sent, answered, refused] = [0, 0, 0];
  const send = (): void => {
    const numbers = Array.from(
      { length: Math.min(AT_ONCE, count - sent) },
      (_, n) => firstAddress + sent + n,
    );
    sent += numbers.length;
    socket.write(numbers.map(requestOf).join(''));
  };
  let rest = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    const parts = (rest + text).split('HTTP/1.1 ');
    // The last status may have come in part.
    rest = `HTTP/1.1 ${parts.pop() ?? ''}`;
    answered += parts.filter((part) => part !== '').length;
    refused += parts.filter((part) => part.startsWith('401')).length;
    if (rest.endsWith('}}') && rest.startsWith('HTTP/1.1 4')) {
      answered += 1;
      refused += rest.startsWith('HTTP/1.1 401') ? 1 : 0;
      rest = '';
    }
    if (answered === sent && sent < count) send();
    else if (answered === count) socket.end();
  });
  send();
  await once(socket, 'close');
  return refused;
}

const heldByRedis = (): Promise<number> => redis.ask((client) => client.dbsize());

describeWithRedis('failed authentication from many addresses', () => {
  beforeAll(setUp, 60_000);
  afterAll(tearDown);

  it('promise 27: takes little memory, and it comes back, here and in Redis', async () => {
    const [service] = [replicas.get(0)];
    await askFrom(1 << 20, 2_000);
    await eventually(async () => (await heldByRedis()) <= 1, 2 * WINDOW_SECONDS * 1000);
    const before = await heapMiB(service);
    const beganAtMs = performance.now();
    const each = ADDRESSES / CONNECTIONS;
    const refused = await Promise.all(
      Array.from({ length: CONNECTIONS }, (_, n) => askFrom(n * each, each)),
    );
    const tookMs = performance.now() - beganAtMs;
    const [during, keys] = [await heapMiB(service), await heldByRedis()];
    await eventually(async () => (await heldByRedis()) <= 1, 3 * WINDOW_SECONDS * 1000);
    const after = await eventually(
      async () => {
        const now = await heapMiB(service);
        return now - before < 3 && now;
      },
      2 * WINDOW_SECONDS * 1000,
    );
    printFigures('promise 27: failed authentication from many addresses', {
      addresses: ADDRESSES,
      'a second': (ADDRESSES * 1000) / tookMs,
      'heap MiB before': before,
      during: during,
      after: after,
      'names in Redis': keys,
    });
    expect(refused).toEqual(refused.map(() => each));
    expect(during - before).toBeLessThan(30);
  });
});
