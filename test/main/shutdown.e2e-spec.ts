import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { Agent, get, request, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually } from '../support/eventually';
import { newDatagrid } from '../support/fixture';
import { TestApp, type Member } from '../support/test-app';
import { Installation, isAlive, ServiceProcess } from './service-process';

// Each program takes its time to start.
jest.setTimeout(120_000);

let app: TestApp;
let owner: Member;
let rows: string;
let datagridId: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  const path = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
  datagridId = path.replace('/datagrids/', '');
  rows = `/api/v1/public${path}/rows`;
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await app.close();
});

const start = (settings: Record<string, string> = {}): Promise<ServiceProcess> =>
  ServiceProcess.ready({
    DATABASE_URL: app.database.url,
    HOST: '127.0.0.1',
    // A blocked write waits until the lock is released, however long that takes.
    LOCK_TIMEOUT_MS: '60000',
    ...settings,
  });

/** Blocks every write to the datagrid until the returned client is ended. */
async function holdWrites(): Promise<Client> {
  const client = new Client({ connectionString: app.database.url });
  await client.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE', [
    datagridId,
  ]);
  return client;
}

interface SentRow {
  readonly response: Promise<IncomingMessage>;
}

/** Sends a row and waits until the write waits for its lock. */
async function sendRow(origin: string, agent: Agent): Promise<SentRow> {
  const sent = request(`${origin}${rows}`, {
    method: 'POST',
    agent,
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
  });
  const response = once(sent, 'response').then(([message]) => message as IncomingMessage);
  response.catch(() => undefined);
  sent.end('{"values":{"n":1}}');
  await eventually(async () => (await endWaiting(false)) > 0);
  return { response };
}

/** Counts the statements that wait for a lock, and ends them if `ends` is true. */
async function endWaiting(ends: boolean): Promise<number> {
  const { rowCount } = await app.sql.query(
    `SELECT ${ends ? 'pg_terminate_backend(pid)' : ''} FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return rowCount ?? 0;
}

const countRows = async (): Promise<number> =>
  (await owner.api.get(rows.replace('/api/v1/public', ''))).body.meta.total;

describe('SIGTERM', () => {
  it('lets a request in progress finish and accepts no other', async () => {
    const before = await countRows();
    const service = await start();
    const origin = await service.origin();
    const agent = new Agent({ keepAlive: true });
    const lock = await holdWrites();
    const { response } = await sendRow(origin, agent);

    service.child.kill('SIGTERM');
    await eventually(() => service.log().some(({ msg }) => msg === 'stopping'));
    // New requests are rejected by the port or by the probe.
    await eventually(async () => (await statusOf(`${origin}/health/ready`)) !== 200);
    expect(service.child.exitCode).toBeNull();
    await lock.end();

    const received = await response;
    expect(received.statusCode).toBe(201);
    expect(received.headers.connection).toBe('close');
    received.resume();
    expect(await service.exit()).toBe(0);
    expect(await countRows()).toBe(before + 1);
    agent.destroy();
  });

  it('closes kept-alive connections and those without a request', async () => {
    const service = await start();
    const origin = await service.origin();
    const agent = new Agent({ keepAlive: true });
    await new Promise<void>((resolve) => {
      get(`${origin}/health/live`, { agent }, (response) => {
        response.resume().once('end', resolve);
      });
    });
    const silent = connect(Number(new URL(origin).port), '127.0.0.1');
    await once(silent, 'connect');
    // Ensures that the service has accepted the connection.
    expect(await statusOf(`${origin}/health/live`)).toBe(200);
    const closed = once(silent.resume(), 'close');
    expect(await service.stop()).toBe(0);
    await closed;
    agent.destroy();
  });

  it('aborts unfinished requests when the grace period is over', async () => {
    const service = await start({ SHUTDOWN_GRACE_SECONDS: '1' });
    const lock = await holdWrites();
    const { response } = await sendRow(await service.origin(), new Agent());
    expect(await service.stop()).toBe(0);
    await expect(response).rejects.toThrow('socket hang up');
    expect(service.log().at(-1)).toMatchObject({ level: 'warn' });
    // PostgreSQL has not noticed that the client has disconnected.
    await eventually(async () => (await endWaiting(true)) === 0);
    await lock.end();
  });

  it('can be repeated without an effect', async () => {
    const before = await countRows();
    const service = await start();
    const lock = await holdWrites();
    const { response } = await sendRow(await service.origin(), new Agent());
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) {
      service.child.kill(signal);
      await eventually(() => service.log().some(({ msg }) => msg === 'stopping'));
      expect(isAlive(service.child.pid ?? 0)).toBe(true);
    }
    await lock.end();
    expect((await response).resume().statusCode).toBe(201);
    expect(await service.exit()).toBe(0);
    expect(await countRows()).toBe(before + 1);
  });
});

describe('a start that is told to stop', () => {
  const wasListening = (service: ServiceProcess): boolean =>
    service.log().some(({ msg }) => msg === 'listening');

  it('starts nothing if the program is still being loaded', async () => {
    const root = await mkdtemp(join(tmpdir(), 'datagrid-stop-'));
    try {
      const hook = join(root, 'hook.cjs');
      await writeFile(hook, TELL_WHEN_NEST_IS_LOADED);
      const dataDir = join(root, 'data');
      const service = ServiceProcess.start({
        DATA_DIR: dataDir,
        NODE_OPTIONS: `--require ${hook}`,
      });
      expect(await service.exit()).toBe(0);
      expect(service.log()).toMatchObject([{ signal: 'SIGTERM', msg: 'stopping' }]);
      expect(service.stderr()).toBe('');
      expect(await readdir(root)).toEqual(['hook.cjs']);
    } finally {
      await rm(root, { recursive: true });
    }
  });

  it.each(['Creating a PostgreSQL cluster', 'Starting PostgreSQL', 'PostgreSQL is ready'])(
    'does not listen and leaves no database running if the log says "%s"',
    async (message) => {
      const installation = await Installation.create();
      try {
        const service = installation.start({}, { detached: true });
        await eventually(() =>
          service.log().some(({ msg }) => (msg as string).startsWith(message)),
        );
        // Signals the whole process group, as Ctrl-C in a terminal does.
        process.kill(-(service.child.pid ?? 0), 'SIGINT');
        expect(await service.exit()).toBe(0);
        expect(service.stderr()).toBe('');
        expect(wasListening(service)).toBe(false);
        expect(await installation.postgresPid()).toBeUndefined();
      } finally {
        await installation.remove();
      }
    },
  );

  it('does not listen if it is connecting to the database', async () => {
    const service = ServiceProcess.start({ DATABASE_URL: app.database.url, LOG_LEVEL: 'trace' });
    await eventually(() => service.log().length > 0);
    expect(await service.stop()).toBe(0);
    expect(wasListening(service)).toBe(false);
  });
});

/** Sends the signal while most of the program is not yet loaded. */
const TELL_WHEN_NEST_IS_LOADED = `
  const { Module } = require('node:module');
  const load = Module._load;
  Module._load = (name, ...rest) => {
    if (name === '@nestjs/core') process.kill(process.pid, 'SIGTERM');
    return load(name, ...rest);
  };`;

/** Returns the status of a response, or 0 if there is none. */
async function statusOf(url: string): Promise<number> {
  const headers = { connection: 'close' };
  return fetch(url, { headers }).then(
    ({ status }) => status,
    () => 0,
  );
}
