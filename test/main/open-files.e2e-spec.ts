import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { adminJson } from '../cli/admin';
import { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { createTestDatabase, type TestDatabase } from '../support/test-database';
import { ServiceProcess } from './service-process';

const MAX_OPEN_FILES = 300;
const IDLE_SOCKETS = 400;
const CALLS = 20;

let database: TestDatabase;
const sockets: Socket[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await ServiceProcess.killAll();
  await database.drop();
});

it('a service serves requests while it gets more idle connections than it may have open files', async () => {
  const settings = { DATABASE_URL: database.url, HOST: '127.0.0.1' };
  const service = ServiceProcess.start(settings, { maxOpenFiles: MAX_OPEN_FILES });
  const origin = await service.origin();
  const owner = ['--name', 'Idle', '--owner-email', 'owner@example.com'];
  await adminJson(settings, 'account', 'create', ...owner);
  const { key } = await adminJson(settings, 'key', 'create', '--email', 'owner@example.com');
  for (let n = 0; n < IDLE_SOCKETS; n += 1) {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    sockets.push(socket);
  }
  // More than half are closed again, because one address may not have more.
  await eventually(() => sockets.filter(({ destroyed }) => destroyed).length > IDLE_SOCKETS / 2);
  const api = new ApiClient(origin, String(key));
  // Sends them at once, so that the service needs new database connections.
  const calls = Array.from({ length: CALLS }, () => api.get('/workspaces'));
  const statuses = (await Promise.all(calls)).map(({ status }) => status);
  expect(statuses).toEqual(statuses.map(() => 200));
  expect((await fetch(`${origin}/health/ready`)).status).toBe(200);
});
