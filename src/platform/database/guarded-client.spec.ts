import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { Pool } from 'pg';
import { GuardedClient } from './guarded-client';

/** A message of PostgreSQL's wire protocol. */
function message(type: string, ...parts: (string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : int32(part))),
  );
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const WELCOME = Buffer.concat([message('R', 0), message('Z', 'I')]);
const DONE = Buffer.concat([message('C', 'SELECT 0\0'), message('Z', 'I')]);
/** A DataRow message that ends before its column count. */
const CUT_SHORT = message('D');

let server: Server;
let response: Buffer;
let pool: Pool;

beforeEach(async () => {
  server = createServer((socket) => {
    let isWelcome = true;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      if (isWelcome) socket.write(WELCOME);
      else if (chunk.toString('latin1', 0, 1) === 'Q') socket.write(response);
      isWelcome = false;
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  pool = new Pool({ host: '127.0.0.1', port, user: 'u', max: 1, Client: GuardedClient });
});

afterEach(async () => {
  await pool.end();
  server.close();
});

describe('GuardedClient', () => {
  it('rejects the query after a malformed response, and the pool opens another connection', async () => {
    response = CUT_SHORT;
    await expect(pool.query('SELECT 1')).rejects.toThrow('out of range');
    expect(pool.totalCount).toBe(0);
    response = DONE;
    expect((await pool.query('SELECT 1')).rows).toEqual([]);
  });

  it('rejects the queries that wait on the same connection, too', async () => {
    response = CUT_SHORT;
    const client = await pool.connect();
    client.on('error', () => undefined);
    const failures = await Promise.allSettled([client.query('SELECT 1'), client.query('SELECT 2')]);
    expect(failures.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    client.release(true);
  });

  it('keeps the connection after a valid response', async () => {
    response = DONE;
    await pool.query('SELECT 1');
    await pool.query('SELECT 2');
    expect(pool.totalCount).toBe(1);
  });
});
