import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { DestinationError } from '../../src/destinations/destination';
import { readPostgresqlSettings } from '../../src/destinations/postgresql/postgresql-settings';
import { PostgresqlSource } from '../../src/destinations/postgresql/postgresql-source';
import type { ResultRow } from '../../src/destinations/source';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { hostResolver } from '../../src/platform/outbound/host-resolver';
import {
  columns,
  COPY_IN,
  DONE,
  DONE_AND_READY,
  FAILED,
  int,
  message,
  READY,
  row,
} from './postgresql-messages';

const ROW_BYTES = 100_000;
/** The end of what the client sends for one statement: Sync, or the end of a simple query. */
const isWhole = (text: string): boolean =>
  text.startsWith('Q') || text.endsWith(message('S', '').toString('latin1'));

let server: Server;
let sockets: Socket[] = [];
let statements: string[] = [];

/** Starts a server that answers the query with the given messages, and other statements as usual. */
async function listen(answer: (socket: Socket) => Buffer | null): Promise<number> {
  statements = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    let isWelcome = false;
    let text = '';
    socket.on('data', (data) => {
      text += data.toString('latin1');
      if (!isWelcome) {
        socket.write(Buffer.concat([message('R', int(0, 4)), READY]));
        [isWelcome, text] = [true, ''];
      } else if (isWhole(text)) {
        const isQuery = text.includes('SELECT own') && !text.includes('DECLARE');
        statements.push(text);
        text = '';
        const response = isQuery ? answer(socket) : DONE_AND_READY;
        if (response) socket.write(response);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  server.close();
  await once(server, 'close');
});

/** Reads a result completely. */
async function read(
  answer: (socket: Socket) => Buffer | null,
  { signal = new AbortController().signal, timeoutMs = 5_000 } = {},
): Promise<ResultRow[]> {
  const given = { host: '127.0.0.1', database: 'd', user: 'u', tls: false };
  const source = new PostgresqlSource({
    settings: readPostgresqlSettings({ ...given, port: await listen(answer) }),
    password: null,
    policy: new AddressPolicy(['127.0.0.0/8'], 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
    resolve: hostResolver(),
    timeouts: { connect: 1_000, part: 1_000, table: 1_000, report: 100 },
  });
  const query = { query: 'SELECT own;' };
  const result = await source.read(query, { timeoutMs, maxRowBytes: ROW_BYTES }, signal);
  try {
    const rows: ResultRow[] = [];
    for await (const batch of result.batches()) rows.push(...batch);
    return rows;
  } finally {
    await result.close();
  }
}

const sends =
  (...parts: readonly Buffer[]) =>
  (): Buffer =>
    Buffer.concat(parts);

describe('the source of PostgreSQL', () => {
  it('begins a read-only transaction, and declares a cursor before it runs the query', async () => {
    expect(await read(sends(columns('a'), row('x'), row(null), DONE_AND_READY))).toEqual([
      ['x'],
      [null],
    ]);
    const text = statements.join('\n');
    expect(text).toMatch(/BEGIN READ ONLY/);
    expect(text).toMatch(/statement_timeout = 5000/);
    expect(text).toMatch(/DECLARE _datagrid_import NO SCROLL CURSOR FOR SELECT own\0/);
  });

  it('reads more rows than one statement of a sync may return', async () => {
    const many = Array.from({ length: 50_000 }, () => row('value'));
    expect(await read(sends(columns('a'), ...many, DONE_AND_READY))).toHaveLength(50_000);
  });

  it.each([
    [
      'a row that is too large',
      [columns('a'), row('x'.repeat(10 * ROW_BYTES)), DONE_AND_READY],
      /^A row of the result has more than 100000 bytes/,
    ],
    [
      'too many columns',
      [columns(...Array.from({ length: 1_700 }, (_, n) => `c${String(n)}`)), DONE_AND_READY],
      /^A row of the result has more than/,
    ],
    [
      'an error after rows',
      [columns('a'), row('x'), FAILED, READY],
      /^The query failed\. .* boom$/,
    ],
    ['a request for data', [COPY_IN], /^The connection failed\.$/],
    ['a message that is none', [columns('a'), message('D', 'x')], /^The connection failed\.$/],
  ])('fails for %s', async (_, parts, expected) => {
    const error = await read(sends(...parts)).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(DestinationError);
    expect((error as Error).message).toMatch(expected);
  });

  it('fails if the connection breaks before the end of the result', async () => {
    const broken = read((socket) => {
      socket.end(Buffer.concat([columns('a'), row('x'), DONE]));
      return null;
    });
    await expect(broken).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('fails in time if the server does not respond', async () => {
    const silent = read(() => null, { timeoutMs: 100 });
    await expect(silent).rejects.toThrow(/^The query took more than 0.1 seconds/);
  });

  it.each<[string, Buffer]>([
    ['rows', row('x')],
    ['bytes', Buffer.from([0x44])],
  ])('fails in time if the server sends %s without end', async (_, part) => {
    let timer: NodeJS.Timeout | undefined;
    const endless = read(
      (socket) => {
        timer = setInterval(() => socket.write(part), 20);
        return columns('a');
      },
      { timeoutMs: 100 },
    );
    await expect(endless).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/^The query took more than 0.1 seconds/),
    });
    clearInterval(timer);
  });

  it('ends at once if it is canceled while the server does not respond', async () => {
    const controller = new AbortController();
    const canceled = read(
      () => {
        controller.abort(new Error('canceled'));
        return null;
      },
      { signal: controller.signal },
    );
    await expect(canceled).rejects.toThrow('canceled');
  });
});
