import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { API } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { newDatagrid } from '../../support/fixture';
import { TestApp, type Member } from '../../support/test-app';

const CLOSE = 'Connection: close';
const PATIENCE_MS = 25_000;

let app: TestApp;
let owner: Member;
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared({ IMPORT_BATCH_ROWS: '10' });
  owner = await app.newAccount();
  grid = await newDatagrid(owner.api, [{ key: 's', type: 'text' }]);
});

afterAll(() => app.close());

/** Returns a body whose lines after the first are valid. Gzip halves its size at most. */
function bodyOf(first: string, line: (text: string) => string, megabytes: number): Buffer {
  const rest = Array.from({ length: megabytes * 100 }, () =>
    line(randomBytes(5_000).toString('hex')),
  );
  return Buffer.from([first, ...rest].join('\n'));
}

const asJson = (s: string): string => JSON.stringify({ s });

const sent = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(bytes, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

const hasResponse = (before: number): boolean =>
  app.logs.slice(before).some((line) => line.includes('rows/import'));

/**
 * Sends a whole import before it reads any response, then another request unless the import closes
 * the connection. Returns the statuses of all responses.
 */
async function statusesOf(body: Buffer, type: string, pieceBytes = Infinity): Promise<string[]> {
  const head = (line: string, ...fields: string[]): Buffer =>
    Buffer.from(
      [line, 'Host: test', `Authorization: Bearer ${owner.key}`, ...fields, '', ''].join('\r\n'),
    );
  const before = app.logs.length;
  const socket = connect(app.port, '127.0.0.1').pause();
  socket.setTimeout(PATIENCE_MS, () =>
    socket.destroy(new Error('The service does not read the body.')),
  );
  await sent(
    socket,
    head(
      `POST ${API}${grid}/rows/import HTTP/1.1`,
      ...type.split('\n'),
      `Content-Length: ${String(body.length)}`,
    ),
  );
  for (let at = 0; at < body.length; at += pieceBytes) {
    await sent(socket, body.subarray(at, at + pieceBytes));
    // Sends the rest after the service has sent its response.
    if (at === 0 && type.includes(CLOSE)) await eventually(() => hasResponse(before));
  }
  if (!type.includes(CLOSE)) await sent(socket, head(`GET ${API}/me HTTP/1.1`, CLOSE));
  const responses = await text(socket);
  return [...responses.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => status ?? '');
}

const NDJSON = 'Content-Type: application/x-ndjson';

describe('an import that ends before its body', () => {
  it.each([2, 21])(
    'returns 400 for an invalid first line of %d MB and leaves its connection open',
    async (megabytes) => {
      expect(await statusesOf(bodyOf('[]', asJson, megabytes), NDJSON)).toEqual(['400', '200']);
    },
  );

  it('returns 400 and closes its connection only after the body, with Connection: close', async () => {
    const type = `${NDJSON}\n${CLOSE}`;
    expect(await statusesOf(bodyOf('[]', asJson, 21), type, 1_000_000)).toEqual(['400']);
  });

  it('returns 400 for a gzip body in parts and leaves its connection open', async () => {
    const body = gzipSync(bodyOf('[]', asJson, 4), { level: 1 });
    const type = `${NDJSON}\nContent-Encoding: gzip`;
    expect(await statusesOf(body, type, 10_000)).toEqual(['400', '200']);
  });

  it('returns 400 for an invalid CSV header and leaves its connection open', async () => {
    const body = bodyOf('other', (line) => line, 4);
    expect(await statusesOf(body, 'Content-Type: text/csv')).toEqual(['400', '200']);
  });
});
