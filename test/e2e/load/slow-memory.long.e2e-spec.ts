import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { constants, gzipSync } from 'node:zlib';
import { API } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { expectFailure } from '../../support/failure';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const MAX_BYTES = 8_000_000;
/** The size of a body in bytes. gzip reduces it to a few kB. */
const LARGE = 3_000_000;

let app: TestApp;
let owner: Member;
let other: Member;
let sockets: Socket[];

beforeAll(async () => {
  app = await TestApp.start({ settings: { MAX_BUFFERED_BYTES: String(MAX_BYTES) } });
  owner = await app.newAccount();
  other = await app.newAccount();
});

afterAll(() => app.close());

beforeEach(() => {
  sockets = [];
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
});

/** Sends a request and does not read the response unless a caller listens to the socket. */
function send(
  member: Member,
  lines: readonly string[],
  body: Buffer = Buffer.alloc(0),
  times = 1,
): Socket {
  const socket = connect(app.port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => undefined);
  const head = [...lines, 'Host: localhost', `Authorization: Bearer ${member.key}`, '', ''];
  const request = Buffer.concat([Buffer.from(head.join('\r\n')), body]);
  socket.write(Buffer.concat(Array<Buffer>(times).fill(request)));
  sockets.push(socket);
  return socket;
}

/** Sends a query whose body is large and never ends. */
function stalledQuery(member: Member, path: string, encoding: 'gzip' | 'identity'): Socket {
  const text = Buffer.from(`{"filter":"${'a'.repeat(LARGE)}`);
  const flush = { finishFlush: constants.Z_SYNC_FLUSH };
  const body = encoding === 'gzip' ? gzipSync(text, flush) : text;
  const lines = [
    `POST ${API}${path}/rows/query HTTP/1.1`,
    'Content-Type: application/json',
    `Content-Encoding: ${encoding}`,
    `Content-Length: ${String(body.length + 10)}`,
  ];
  return send(member, lines, body);
}

async function statusOf(socket: Socket): Promise<number> {
  const [chunk] = (await once(socket.resume(), 'data')) as [Buffer];
  return Number(chunk.toString('latin1').slice(9, 12));
}

describe('the memory for slow clients', () => {
  it.each(['gzip', 'identity'] as const)(
    'is limited for each account if bodies never end (%s)',
    async (encoding) => {
      const path = await newDatagrid(owner.api, [{ key: 't', type: 'text' }]);
      const query = { filter: { t: 'x'.repeat(200_000) } };
      // Two exceed one account's half.
      const two = [stalledQuery(owner, path, encoding), stalledQuery(owner, path, encoding)];
      expect(await Promise.race(two.map(statusOf))).toBe(429);
      const rejected = await eventually(async () => {
        const response = await owner.api.post(`${path}/rows/query`, {
          filter: 'x'.repeat(1_500_000),
        });
        return response.status === 429 && response;
      });
      expectFailure(rejected, 'rate_limited');
      expect(rejected.headers.get('retry-after')).toBe('1');
      // Small requests are accepted, and so are those of other accounts.
      expect((await owner.api.post(`${path}/rows`, { values: { t: 'x' } })).status).toBe(201);
      const theirs = await newDatagrid(other.api, [{ key: 't', type: 'text' }]);
      expect((await other.api.post(`${theirs}/rows/query`, query)).status).toBe(200);

      for (const socket of sockets) socket.destroy();
      await eventually(async () => {
        const response = await owner.api.post(`${path}/rows/query`, {
          filter: 'x'.repeat(1_500_000),
        });
        return response.status === 400;
      });
    },
  );

  it('is limited for each account if responses are not read', async () => {
    const path = await newDatagrid(owner.api, [{ key: 't', type: 'text' }]);
    for (let n = 0; n < 12; n += 1) {
      const row = { values: { t: 'x'.repeat(900_000) } };
      expect((await owner.api.post(`${path}/rows`, row)).status).toBe(201);
    }
    const page = `${path}/rows`;
    // A single response may be larger.
    expect((await owner.api.get(page)).status).toBe(200);
    // Sends more responses than the system buffers for a connection.
    send(owner, [`GET ${API}${page} HTTP/1.1`], undefined, 10);
    const rejected = await eventually(async () => {
      const response = await owner.api.get(page);
      return response.status === 429 && response;
    });
    expectFailure(rejected, 'rate_limited');
    // There is room for a moment while the system still accepts responses.
    await eventually(async () => (await owner.api.get(`${page}/1`)).status === 429);
    expect((await owner.api.get('/me')).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => (await owner.api.get(page)).status === 200);
  });
});
