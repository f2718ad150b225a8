import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { TargetWriter } from '../../src/destinations/destination';
import { ClickhouseDestination } from '../../src/destinations/clickhouse/clickhouse-kind';
import { ClickhouseSession } from '../../src/destinations/clickhouse/clickhouse-session';
import type { ClickhouseAccess } from '../../src/destinations/clickhouse/clickhouse-session';
import { readClickhouseSettings } from '../../src/destinations/clickhouse/clickhouse-settings';
import { AddressPolicy } from '../../src/platform/outbound/address-policy';
import { hostResolver } from '../../src/platform/outbound/host-resolver';

const TABLE = {
  id: '01a20b88-836c-7087-8461-dc83636ac817',
  name: 't',
  deletions: 'delete',
} as const;

let server: Server;
let sockets: Socket[] = [];
let close: () => Promise<void> = () => Promise.resolve();

/** Listens, and answers each request with the bytes of a response. */
async function accessAt(
  answer: (request: string) => string,
  after: (socket: Socket) => void = () => undefined,
): Promise<ClickhouseAccess> {
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      socket.write(answer(data.toString('latin1')), () => {
        after(socket);
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const given = { host: '127.0.0.1', port, database: 'd', user: 'u', tls: false };
  return {
    settings: readClickhouseSettings(given),
    password: 'secret',
    policy: new AddressPolicy(['127.0.0.0/8'], 'CONNECTION_ALLOWED_PRIVATE_RANGES'),
    resolve: hostResolver(),
  };
}

const response = (body: string, headers = ''): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n${headers}\r\n${body}`;

async function sessionOf(body: string, headers?: string): Promise<ClickhouseSession> {
  const session = new ClickhouseSession(await accessAt(() => response(body, headers)));
  close = () => session.close();
  return session;
}

afterEach(async () => {
  await close();
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, 'close');
});

describe('the response of a ClickHouse server', () => {
  it.each([
    ['rows', '{}\n'.repeat(20_000)],
    ['bytes', `{"a":"${'x'.repeat(1_100_000)}"}`],
  ])('is bounded in %s', async (_, body) => {
    const read = (await sessionOf(body)).query('SELECT 1');
    await expect(read).rejects.toMatchObject({ message: 'The response is too large.' });
  });

  it.each([
    'null',
    '[1]',
    '1',
    '{"a":',
    `{${Array.from({ length: 20 }, (_, at) => `"${String(at)}":1`).join()}}`,
  ])('is a failure of the configuration if it has the line %s', async (line) => {
    const read = (await sessionOf(`${line}\n`)).query('SELECT 1');
    await expect(read).rejects.toMatchObject({ kind: 'configuration' });
  });

  it('is read line by line, also if a character is in two parts', async () => {
    const text = 'ä'.repeat(200_001);
    const session = await sessionOf(`{"a":"${text}"}\n\n{"a":"2"}`);
    await expect(session.query('SELECT 1')).resolves.toEqual([{ a: text }, { a: '2' }]);
  });

  it('is cut off if it has no length and the connection breaks', async () => {
    const head = 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n';
    const access = await accessAt(
      () => head,
      (socket) => socket.end(),
    );
    const session = new ClickhouseSession(access);
    close = () => session.close();
    const ran = session.run('INSERT');
    await expect(ran).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(ran).rejects.toThrow('The connection was closed.');
  });

  it('is shown short and without control characters', async () => {
    const session = await sessionOf(
      `Code: 999. DB::Exception: a\0b\n${'x'.repeat(900_000)}`,
      'X-ClickHouse-Exception-Code: 999\r\n',
    );
    const error: unknown = await session.query('SELECT 1').catch((failure: unknown) => failure);
    const { message, cause } = error as Error;
    const shown = message + (cause as Error).message + ((cause as Error).stack ?? '');
    expect(shown.length).toBeLessThan(4_000);
    expect(message + (cause as Error).message).not.toMatch(/\p{Cc}/u);
  });
});

describe('the state of a ClickHouse server', () => {
  async function openAt(rows: readonly object[]): Promise<TargetWriter> {
    const body = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const access = await accessAt((request) =>
      response(request.includes('SELECT kind') ? body : ''),
    );
    const writer = await new ClickhouseDestination(access).open(TABLE);
    close = () => writer.close();
    return writer;
  }

  const positionOf = (token: bigint): string => (token << 40n).toString();

  it.each([2n ** 33n + 1n, 2n ** 56n - 1n])('has no claim with the token %s', async (token) => {
    const claimed = (await openAt([{ kind: 'claim', position: positionOf(token) }])).claim(1);
    await expect(claimed).rejects.toMatchObject({ kind: 'configuration' });
    await expect(claimed).rejects.toThrow(
      'The table _datagrid_sync has a token that is not valid. Delete its row, or drop the table; the datagrid is then loaded again.',
    );
  });

  it('has a claim with the highest token', async () => {
    const writer = await openAt([{ kind: 'claim', position: positionOf(2n ** 33n) }]);
    await expect(writer.claim(1)).rejects.toMatchObject({ token: 2 ** 33 });
  });

  it.each([
    { kind: 'claim', position: 'x' },
    { kind: 'claim', position: '9'.repeat(39) },
    { kind: 'claim' },
    { kind: 'state', position: positionOf(1n), state: 1, layout: '{}' },
    { kind: 'state', position: positionOf(1n), state: null },
  ])('is a failure of the database if it is %j', async (row) => {
    const claimed = (await openAt([row])).claim(2);
    await expect(claimed).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it.each(['x', 'null', '{}', '{"data":null,"columns":[{"type":"constructor"}]}'])(
    'is a failure of the database if it has the layout %j',
    async (layout) => {
      const state = { kind: 'state', position: positionOf(2n), state: null, layout };
      let reads = 0;
      const access = await accessAt((request) => {
        if (!request.includes('SELECT kind')) return response('');
        reads += 1;
        return response(JSON.stringify({ ...state, position: positionOf(reads === 1 ? 1n : 2n) }));
      });
      const writer = await new ClickhouseDestination(access).open(TABLE);
      close = () => writer.close();
      await expect(writer.claim(2)).rejects.toMatchObject({ kind: 'unavailable' });
    },
  );
});
