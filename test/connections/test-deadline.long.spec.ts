import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ClickhouseKind } from '../../src/destinations/clickhouse/clickhouse-kind';
import { DestinationError } from '../../src/destinations/destination';
import type { DestinationKind } from '../../src/destinations/destination-kind';
import { IcebergKind } from '../../src/destinations/iceberg/iceberg-kind';
import { MysqlKind } from '../../src/destinations/mysql/mysql-kind';
import { ParquetKind } from '../../src/destinations/parquet/parquet-kind';
import { PostgresqlKind } from '../../src/destinations/postgresql/postgresql-kind';
import { SnowflakeKind } from '../../src/destinations/snowflake/snowflake-kind';
import { readConfig } from '../../src/platform/config/app-config';
import { eventually } from '../support/eventually';

const CONFIG = readConfig({ CONNECTION_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8' });
/** All timeouts of destinations are longer. */
const PATIENCE_MS = 9_000;
const DRIP_MS = 100;

/** Beginning of a message of 100,000 bytes. */
const HTTP = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n');
const POSTGRESQL = Buffer.from([0x4e, 0, 1, 0x86, 0xa0]);
const MYSQL = Buffer.from([0xa0, 0x86, 1, 0]);

interface Target {
  readonly name: string;
  readonly kind: DestinationKind;
  readonly settings: (port: number) => Readonly<Record<string, unknown>>;
  readonly secret: string | null;
  readonly start: Buffer;
}

const server = (port: number): Readonly<Record<string, unknown>> => {
  return { host: '127.0.0.1', port, database: 'a', user: 'a', tls: false };
};
const url = (port: number): string => `http://127.0.0.1:${String(port)}`;

const TARGETS: readonly Target[] = [
  {
    name: 'PostgreSQL',
    kind: new PostgresqlKind(CONFIG),
    settings: server,
    secret: 'a',
    start: POSTGRESQL,
  },
  { name: 'MySQL', kind: new MysqlKind(CONFIG), settings: server, secret: 'a', start: MYSQL },
  {
    name: 'ClickHouse',
    kind: new ClickhouseKind(CONFIG),
    settings: server,
    secret: 'a',
    start: HTTP,
  },
  {
    name: 'Snowflake',
    kind: new SnowflakeKind(CONFIG),
    settings: (port) => ({
      ...{ account: 'a', user: 'a', warehouse: 'a', database: 'a', url: url(port) },
      authentication: 'password',
    }),
    secret: 'a',
    start: HTTP,
  },
  {
    name: 'a bucket of Parquet files',
    kind: new ParquetKind(CONFIG),
    settings: (port) => ({
      ...{ storage: 's3', bucket: 'lake', region: 'r', endpoint: url(port) },
      accessKeyId: 'a',
    }),
    secret: 'a',
    start: HTTP,
  },
  {
    name: 'a catalog of Iceberg',
    kind: new IcebergKind(CONFIG),
    settings: (port) => ({ uri: url(port), namespace: 'sales' }),
    secret: null,
    start: HTTP,
  },
];

let listening: Server;
const open = new Set<Socket>();

/** Starts a server. @param start What it sends before one byte after another; `null`: it sends nothing. */
async function listen(start: Buffer | null): Promise<number> {
  listening = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    let timer: NodeJS.Timeout | undefined;
    socket.on('close', () => {
      clearInterval(timer);
      open.delete(socket);
    });
    socket.once('data', () => {
      if (start === null) return;
      socket.write(start);
      timer = setInterval(() => socket.write(' '), DRIP_MS);
    });
    // A server of MySQL speaks first.
    if (start === MYSQL) socket.emit('data', Buffer.alloc(0));
  }).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return (listening.address() as AddressInfo).port;
}

afterEach(() => {
  listening.close();
  for (const socket of open) socket.destroy();
});

describe('the test of a destination that is ended', () => {
  it.each(
    TARGETS.flatMap((target) => [
      { ...target, sends: 'one byte after another' },
      { ...target, sends: 'nothing', start: null },
    ]),
  )(
    'fails at its deadline and closes all connections if $name sends $sends',
    async ({ kind, settings, secret, start }) => {
      const port = await listen(start);
      const own = kind.readSettings(settings(port));
      const target = { accountId: 'a', connectionId: 'c', settings: own, secret };
      const deadline = new AbortController();
      const outcome = kind
        .create(target)
        .test(deadline.signal)
        .catch((error: unknown) => error);
      await eventually(() => open.size > 0);
      deadline.abort(new DOMException('The time is over.', 'TimeoutError'));
      await expect(
        Promise.race([outcome, delay(PATIENCE_MS, 'is still running', { ref: false })]),
      ).resolves.toBeInstanceOf(DestinationError);
      await eventually(() => open.size === 0);
    },
  );
});
