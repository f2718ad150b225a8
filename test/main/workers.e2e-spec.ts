import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Client } from 'pg';
import { adminJson } from '../cli/admin';
import { API, type ApiResponse } from '../support/api-client';
import { withClient } from '../support/database-url';
import { eventually } from '../support/eventually';
import { newDatagrid } from '../support/fixture';
import { Scrape } from '../support/scrape';
import { TestApp, type Member } from '../support/test-app';
import { Installation, isAlive, ServiceProcess } from './service-process';
import { OWN_CONNECTION, WorkerInstance } from './worker-instance';

// Each program takes its time to start.
jest.setTimeout(180_000);

let app: TestApp;
let owner: Member;
/** Path of a datagrid. */
let grid: string;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
  grid = await newDatagrid(owner.api, [{ key: 'n', type: 'integer' }]);
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await app.close();
});

const settings = (more: Record<string, string> = {}): Record<string, string> => ({
  DATABASE_URL: app.database.url,
  HOST: '127.0.0.1',
  WORKERS: '2',
  RATE_LIMIT_REQUESTS: '1000000',
  LOCK_TIMEOUT_MS: '60000',
  ...more,
});

async function start(more: Record<string, string> = {}): Promise<WorkerInstance> {
  return new WorkerInstance(await ServiceProcess.ready(settings(more)));
}

const countRows = async (): Promise<number> =>
  (await owner.api.get(`${grid}/rows`)).body.meta.total;

/** Runs `work` while no row can be written. */
async function whileLocked(work: (client: Client) => Promise<void>): Promise<void> {
  await withClient(app.database.url, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT FROM datagrid_counters WHERE datagrid_id = $1 FOR UPDATE', [
      grid.replace('/datagrids/', ''),
    ]);
    await work(client);
  });
}

const countWaiting = async (): Promise<number> =>
  (
    await app.sql.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
  ).rowCount ?? 0;

describe('an instance with two workers', () => {
  let instance: WorkerInstance;
  beforeAll(async () => {
    instance = await start({ METRICS_PORT: '0', METRICS_HOST: '127.0.0.1' });
  });
  afterAll(() => ServiceProcess.killAll());

  // First, because it counts all requests.
  it('has metrics of all workers, which never decrease', async () => {
    const { service } = instance;
    const url = String(service.log().find(({ msg }) => msg === 'metrics listening')?.['url']);
    const api = await instance.api(owner.key);
    const labels = { route: `${API}/me`, status: '200' };
    const counted = (count: number): Promise<Scrape> =>
      eventually(async () => {
        const scrape = await Scrape.of(url);
        return scrape.sum('datagrid_http_requests_total', labels) === count && scrape;
      });
    for (let n = 0; n < 6; n += 1) await api.get('/me');
    const scrape = await counted(6);
    await eventually(() => instance.answered(`${API}/me`).length === 2);
    expect(scrape.sum('datagrid_workers_ready')).toBe(2);
    expect(scrape.sum('datagrid_database_pool_limit', { pool: 'main' })).toBe(14);
    expect(scrape.sum('datagrid_requests_in_progress_limit')).toBe(200);
    expect(scrape.sum('datagrid_build_info')).toBe(1);
    const name = 'datagrid_http_request_duration_seconds_count';
    expect(scrape.sum(name, { route: `${API}/me` })).toBe(6);
    await eventually(async () => (await Scrape.of(url)).sum('datagrid_database_size_bytes') > 0);
    await instance.kill(1);
    await eventually(async () => (await Scrape.of(url)).sum('datagrid_workers_ready') === 2);
    const after = await counted(6);
    expect(after.sum('datagrid_workers_replaced_total')).toBe(1);
    await api.get('/me');
    await counted(7);
  });

  it('serves requests by both, logs which, and is ready only when both are', async () => {
    const api = await instance.api(owner.key);
    for (let n = 0; n < 4; n += 1) expect((await api.get('/me')).status).toBe(200);
    await eventually(() => instance.answered(`${API}/me`).length === 2);
    expect(instance.answered(`${API}/me`)).toEqual([1, 2]);
    const lines = instance.service.log();
    const ready = lines.findIndex(({ msg }) => msg === 'listening');
    expect(lines[ready]).toMatchObject({ workers: 2, pid: instance.service.child.pid });
    const request = lines.find(({ msg, worker }) => msg === 'request' && worker === 2);
    expect(request).toMatchObject({ pid: instance.pid(2) });
    expect(lines.slice(0, ready).filter(({ msg }) => msg === 'worker started')).toHaveLength(2);
  });

  it('replaces a worker that is killed, and loses no acknowledged write', async () => {
    const endedWorkers = (): Record<string, unknown>[] =>
      instance.service.log().filter(({ msg }) => msg === 'worker ended');
    const endedBefore = endedWorkers().length;
    const api = await instance.api(owner.key);
    const before = await countRows();
    const over = new AbortController();
    let acknowledged = 0;
    let unknown = 0;
    const write = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const status = await api.post(`${grid}/rows`, { values: { n: 2 } }).then(
          (response) => response.status,
          () => 0,
        );
        if (status === 201) acknowledged += 1;
        else if (status === 0) unknown += 1;
        else throw new Error(`The response was ${String(status)}.`);
      }
    };
    const writers = Promise.all(Array.from({ length: 4 }, write));
    const moreAreWritten = async (): Promise<void> => {
      const already = acknowledged;
      await Promise.race([writers, eventually(() => acknowledged > already + 20)]);
    };
    try {
      for (const number of [1, 2, 1]) {
        await moreAreWritten();
        await instance.kill(number);
      }
      await moreAreWritten();
    } finally {
      over.abort();
      await writers;
    }
    const rows = (await countRows()) - before;
    expect(rows).toBeGreaterThanOrEqual(acknowledged);
    // A request whose connection broke may have been committed.
    expect(rows).toBeLessThanOrEqual(acknowledged + unknown);
    // At most one request of each writer was in progress at each kill.
    expect(unknown).toBeLessThanOrEqual(12);
    const ended = endedWorkers().slice(endedBefore);
    expect(ended.map(({ worker, signal }) => [worker, signal])).toEqual([
      [1, 'SIGKILL'],
      [2, 'SIGKILL'],
      [1, 'SIGKILL'],
    ]);
  });

  it('replaces a worker that an operator stops, without a failed request', async () => {
    const api = await instance.api(owner.key);
    const statuses: number[] = [];
    const over = new AbortController();
    const requests = (async () => {
      while (!over.signal.aborted) statuses.push((await api.get('/me')).status);
    })();
    try {
      for (const number of [1, 2]) await instance.kill(number, 'SIGTERM');
    } finally {
      over.abort();
      await requests;
    }
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it('ends with its workers when it is told to stop', async () => {
    expect(await instance.service.stop()).toBe(0);
    await instance.ended();
  });
});

describe('an instance with two workers of its own', () => {
  afterEach(() => ServiceProcess.killAll());

  it('finishes requests in progress at both when it receives SIGTERM, and accepts no other', async () => {
    const instance = await start();
    const api = await instance.api(owner.key);
    const before = await countRows();
    let writes: Promise<ApiResponse[]> = Promise.resolve([]);
    await whileLocked(async (client) => {
      const write = (): Promise<ApiResponse> => api.post(`${grid}/rows`, { values: { n: 1 } });
      writes = Promise.all([write(), write(), write(), write()]);
      await eventually(async () => (await countWaiting()) >= 2);
      instance.service.child.kill('SIGTERM');
      const stopping = (): number =>
        instance.service.log().filter(({ msg }) => msg === 'stopping').length;
      await eventually(() => stopping() === 3);
      const origin = await instance.service.origin();
      await eventually(() =>
        fetch(`${origin}/health/live`, { headers: OWN_CONNECTION }).then(
          () => false,
          () => true,
        ),
      );
      expect(instance.service.child.exitCode).toBeNull();
      await client.query('ROLLBACK');
    });
    expect((await writes).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(await instance.service.exit()).toBe(0);
    expect(await countRows()).toBe(before + 4);
  });

  it('ends its workers if it is killed, after they have finished their requests', async () => {
    const instance = await start();
    const api = await instance.api(owner.key);
    const before = await countRows();
    let write: Promise<ApiResponse> | undefined;
    await whileLocked(async (client) => {
      write = api.post(`${grid}/rows`, { values: { n: 3 } });
      await eventually(async () => (await countWaiting()) === 1);
      // Its output ends with the workers.
      instance.service.child.kill('SIGKILL');
      await eventually(() => instance.service.child.signalCode === 'SIGKILL');
      await client.query('ROLLBACK');
    });
    expect((await write)?.status).toBe(201);
    await instance.ended();
    expect(await countRows()).toBe(before + 1);
  });

  it('exits with a status if workers fail to start again and again', async () => {
    const instance = await start();
    const { service } = instance;
    const newest = 'SELECT name FROM schema_migrations ORDER BY id DESC LIMIT 1';
    const name = (await app.sql.query<{ name: string }>(newest)).rows[0]?.name ?? '';
    await app.sql.query("UPDATE schema_migrations SET name = 'x' || name WHERE name = $1", [name]);
    try {
      process.kill(instance.pid(2), 'SIGKILL');
      expect(await service.exit()).toBe(1);
    } finally {
      await app.sql.query('UPDATE schema_migrations SET name = $1 WHERE name = $2', [
        name,
        `x${name}`,
      ]);
    }
    expect(service.stderr()).toContain('The schema is older than this release');
    expect(service.stderr()).toMatch(/The workers do not start\.\n$/);
    const ended = service.log().filter(({ msg }) => msg === 'worker ended');
    expect(ended.map(({ code }) => code)).toEqual([null, 1, 1, 1, 1, 1]);
    await instance.ended();
  });

  it('names the setting once and exits if the port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    try {
      const service = ServiceProcess.start(settings({ PORT: String(port) }));
      expect(await service.exit()).toBe(1);
      expect(service.stderr()).toBe(
        `Port ${String(port)} is taken by another program. Set PORT to a free one.\n` +
          'The workers do not start.\n',
      );
    } finally {
      taken.close();
    }
  });

  it('names the settings and exits if PostgreSQL does not allow its connections', async () => {
    const service = ServiceProcess.start(settings({ DATABASE_POOL_SIZE: '5000' }));
    expect(await service.exit()).toBe(1);
    expect(service.stderr()).toMatch(
      /^Wrong setting: with WORKERS=2 the service may open 10028 connections, and PostgreSQL allows \d+\. Raise max_connections of PostgreSQL by \d+, [^\n]+\n$/,
    );
  });
});

describe('an embedded PostgreSQL with two workers', () => {
  let installation: Installation;
  beforeEach(async () => {
    installation = await Installation.create();
  });
  afterEach(async () => {
    await ServiceProcess.killAll();
    await installation.remove();
  });

  it('is created with one demo, shared, and stopped after the workers', async () => {
    const service = await installation.ready({ WORKERS: '2' });
    const instance = new WorkerInstance(service);
    await eventually(() => service.printed().includes('API key:'));
    const [, key = ''] = /API key: +(\S+)/.exec(service.printed()) ?? [];
    const api = await instance.api(key);
    for (let n = 0; n < 4; n += 1) expect((await api.get('/me')).status).toBe(200);
    await eventually(() => instance.answered(`${API}/me`).length === 2);
    expect(service.printed().match(/API key:/g)).toHaveLength(1);
    const invite = ['user', 'invite', '--email', 'demo@example.com'];
    const { url } = await adminJson(installation.settings, ...invite);
    expect(String(url).split('/invite/')[0]).toBe(await service.origin());
    expect(await service.stop()).toBe(0);
    await instance.ended();
    expect(await installation.postgresPid()).toBeUndefined();
    expect(service.log().at(-1)).toMatchObject({ msg: 'PostgreSQL has stopped' });
  });

  it('is stopped by the last worker if the supervisor is killed', async () => {
    const service = await installation.ready({ WORKERS: '2' });
    const instance = new WorkerInstance(service);
    const pid = await installation.postgresPid();
    expect(pid).toBeDefined();
    await service.stop('SIGKILL');
    await instance.ended();
    await eventually(() => !isAlive(pid ?? 0));
  });

  it('allows the connections of several workers', async () => {
    const service = await installation.ready({ WORKERS: '3', DATABASE_POOL_SIZE: '48' });
    await eventually(async () => {
      const { status } = await fetch(`${await service.origin()}/health/ready`);
      return status === 200;
    }, 60_000);
    expect(new WorkerInstance(service).pids().size).toBe(3);
    expect(await service.stop()).toBe(0);
  });
});
