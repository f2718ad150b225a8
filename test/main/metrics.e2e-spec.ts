import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { API, ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { newDatagrid } from '../support/fixture';
import { Scrape } from '../support/scrape';
import { TestApp, type Member } from '../support/test-app';
import { ServiceProcess } from './service-process';

// The service takes its time to start.
jest.setTimeout(120_000);

let app: TestApp;
let owner: Member;

beforeAll(async () => {
  app = await TestApp.shared();
  owner = await app.newAccount();
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await app.close();
});

const settings = (): Record<string, string> => ({
  DATABASE_URL: app.database.url,
  METRICS_HOST: '127.0.0.1',
});

const isReady = (origin: string): Promise<boolean> =>
  fetch(`${origin}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('the metrics of a service process', () => {
  it('are served until the last response was sent, and then no more', async () => {
    const rows = `${await newDatagrid(owner.api, [])}/rows`;
    const service = await ServiceProcess.ready({
      ...settings(),
      METRICS_PORT: '0',
      // The request waits until the lock is released, however long that takes.
      LOCK_TIMEOUT_MS: '60000',
    });
    const origin = await service.origin();
    const url = String(service.log().find(({ msg }) => msg === 'metrics listening')?.['url']);
    const other = await app.sql.connect();
    try {
      await other.query('BEGIN; LOCK TABLE rows');
      const api = new ApiClient(origin, owner.key);
      expect((await api.get('/me')).status).toBe(200);
      const response = api.get(rows);
      await eventually(async () => {
        const { rows: waiting } = await other.query(
          // The table has the same OID in every suite's database, because all are copies of one.
          `SELECT FROM pg_locks WHERE NOT granted AND relation = 'rows'::regclass
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
        );
        return waiting.length > 0;
      });
      service.child.kill('SIGTERM');
      await eventually(async () => !(await isReady(origin)));
      await eventually(async () => {
        const scrape = await Scrape.of(url);
        return scrape.sum('datagrid_http_requests_total', { route: `${API}/me` }) === 1;
      });
      await other.query('ROLLBACK');
      expect((await response).status).toBe(200);
    } finally {
      other.release(true);
    }
    expect(await service.exit()).toBe(0);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('are not served without METRICS_PORT', async () => {
    const service = await ServiceProcess.ready(settings());
    expect((await fetch(`${await service.origin()}/metrics`)).status).toBe(404);
    expect(service.log().filter(({ msg }) => msg === 'metrics listening')).toEqual([]);
    expect(await service.stop()).toBe(0);
  });

  it('fail the start and name the setting if their port is in use', async () => {
    const taken: Server = createServer();
    taken.listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    try {
      const service = ServiceProcess.start({ ...settings(), METRICS_PORT: String(port) });
      expect(await service.exit()).toBe(1);
      expect(service.stderr()).toContain(
        `Port ${String(port)} is taken by another program. Set METRICS_PORT to a free one.`,
      );
    } finally {
      taken.close();
    }
  });
});
