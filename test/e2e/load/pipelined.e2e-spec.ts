import { connect, type Socket } from 'node:net';
import { Client } from 'pg';
import { API } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { newDatagrid } from '../../support/fixture';
import { exchange } from '../../support/raw-http';
import { TestApp, type Member } from '../../support/test-app';

let app: TestApp;
let owner: Member;
let path: string;
let lock: Client;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  path = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
});

afterAll(() => app.close());

beforeEach(async () => {
  lock = new Client({ connectionString: app.database.url });
  await lock.connect();
  await lock.query('BEGIN; SELECT FROM datagrid_counters FOR UPDATE');
});

afterEach(() => lock.end());

function text(method: string, route: string, requestId: string, body = ''): string {
  return [
    `${method} ${API}${route} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${owner.key}`,
    `X-Request-Id: ${requestId}`,
    'Content-Type: application/json',
    `Content-Length: ${String(body.length)}`,
    '',
    body,
  ].join('\r\n');
}

/** Returns a write that waits for the lock. */
const slow = (requestId: string): string =>
  text('POST', `${path}/rows`, requestId, '{"values":{"n":1}}');
const workspace = (name: string): string =>
  text('POST', '/workspaces', name, JSON.stringify({ name }));

async function isWaiting(): Promise<boolean> {
  const { rowCount } = await app.sql.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return (rowCount ?? 0) > 0;
}

async function names(): Promise<string[]> {
  const { rows } = await app.sql.query<{ name: string }>('SELECT name FROM workspaces');
  return rows.map(({ name }) => name);
}

const isLogged = (requestId: string): boolean =>
  app.logs.some((line) => line.includes(`"requestId":"${requestId}"`));

/** Sends pipelined requests and disconnects while the first one waits. */
async function sendAndDisconnect(requests: string): Promise<void> {
  const socket: Socket = connect(app.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(requests);
  await eventually(isWaiting);
  socket.destroy();
  await eventually(() => isLogged('slow'));
  app.logs.length = 0;
}

describe('pipelined requests', () => {
  it('are processed one after the other and return responses in order', async () => {
    const last = text('GET', '/me', 'last').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const responses = exchange(app.port, slow('first') + workspace('in-turn') + last);
    await eventually(isWaiting);
    expect(await names()).not.toContain('in-turn');
    await lock.query('COMMIT');
    expect((await responses).match(/(HTTP\/1\.1 \d+|X-Request-Id: [a-z-]+)/g)).toEqual([
      ...['HTTP/1.1 201', 'X-Request-Id: first'],
      ...['HTTP/1.1 201', 'X-Request-Id: in-turn'],
      ...['HTTP/1.1 200', 'X-Request-Id: last'],
    ]);
    expect(await names()).toContain('in-turn');
  });

  it('are not processed after their client has disconnected', async () => {
    await sendAndDisconnect(slow('slow') + workspace('unseen'));
    await lock.query('COMMIT');
    // Waits for the same request on a connection that stays open.
    await exchange(
      app.port,
      workspace('seen').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    );
    await eventually(() => isLogged('seen'));
    expect(await names()).toContain('seen');
    expect(await names()).not.toContain('unseen');
    expect(isLogged('unseen')).toBe(false);
  });

  it('release their export slots if their client disconnects', async () => {
    await sendAndDisconnect(slow('slow') + text('GET', `${path}/rows/export`, 'export').repeat(4));
    await lock.query('COMMIT');
    for (let n = 0; n < 4; n += 1) {
      expect((await owner.api.get(`${path}/rows/export`)).status).toBe(200);
    }
  });

  it('are rejected if a hundred of one connection are already waiting', async () => {
    const me = text('GET', '/me', 'me');
    const end = me.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const responses = exchange(app.port, slow('first') + me.repeat(104) + end);
    await eventually(isWaiting);
    await lock.query('COMMIT');
    const statuses = (await responses).match(/HTTP\/1\.1 \d+/gm)?.map((line) => line.slice(9));
    expect(statuses).toEqual(['201', ...Array(100).fill('200'), ...Array(5).fill('503')]);
  });
});
