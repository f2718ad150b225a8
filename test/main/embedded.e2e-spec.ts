import { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { Installation, ServiceProcess } from './service-process';

// Each program takes its time to start.
jest.setTimeout(120_000);

let installation: Installation;
let rows: string;
let key: string;

/** What the first start prints leads to the demo's rows. */
function readWelcome(service: ServiceProcess): void {
  const [, printedKey = '', address = ''] =
    /^curl -H "Authorization: Bearer (\S+)" "(\S+)\?limit=3"$/m.exec(service.printed()) ?? [];
  key = printedKey;
  rows = new URL(address).pathname.replace('/api/v1/public', '');
}

async function api(service: ServiceProcess): Promise<ApiClient> {
  return new ApiClient(await service.origin(), key);
}

async function total(service: ServiceProcess): Promise<number> {
  return (await (await api(service)).get(rows)).body.meta.total;
}

async function create(service: ServiceProcess, iata: string): Promise<number> {
  const values = { iata, name: 'New', country: 'USA', latitude: 1, longitude: 2 };
  return (await (await api(service)).post(rows, { values })).status;
}

beforeAll(async () => {
  installation = await Installation.create();
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await installation.remove();
});

describe('services on one data directory', () => {
  it('that start together on an empty one make one demo, and print one key', async () => {
    const services = await Promise.all([installation.ready(), installation.ready()]);
    await eventually(() => services.some((service) => service.printed().includes('curl')));
    // A service that is told to stop ends its start first, printing included.
    const [one, other] = services;
    expect(await one.stop()).toBe(0);
    expect(await installation.postgresPid()).toBeDefined();
    expect(await other.stop()).toBe(0);
    expect(await installation.postgresPid()).toBeUndefined();
    const printed = services.filter((service) => service.printed().includes('API key:'));
    expect(printed).toHaveLength(1);
    for (const service of printed) readWelcome(service);
  });

  it('share its database, and the last one stops it', async () => {
    const one = await installation.ready();
    const pid = await installation.postgresPid();
    const other = await installation.ready();
    expect(await installation.postgresPid()).toBe(pid);
    expect(await create(one, 'S001')).toBe(201);
    expect(await total(other)).toBe(3377);

    expect(await one.stop()).toBe(0);
    expect(await installation.postgresPid()).toBe(pid);
    expect(await create(other, 'S002')).toBe(201);
    expect(await other.stop('SIGINT')).toBe(0);
    expect(await installation.postgresPid()).toBeUndefined();
  });
});

describe('a service that is killed', () => {
  it('leaves its database to the next one, with all that was acknowledged', async () => {
    const killed = await installation.ready();
    expect(await create(killed, 'K001')).toBe(201);
    const pid = await installation.postgresPid();
    await killed.stop('SIGKILL');
    expect(await installation.postgresPid()).toBe(pid);

    const next = await installation.ready();
    expect(await installation.postgresPid()).toBe(pid);
    expect(await total(next)).toBe(3379);
    expect(await next.stop()).toBe(0);
    expect(await installation.postgresPid()).toBeUndefined();
  });

  it('with its database, while the demo is made, leaves no half of it', async () => {
    const fresh = await Installation.create();
    try {
      const killed = fresh.start();
      const pid = await eventually(() => fresh.postgresPid());
      killed.child.kill('SIGKILL');
      process.kill(pid, 'SIGKILL');
      await killed.exit();
      await eventually(async () => (await fresh.postgresPid()) === undefined);

      const next = await fresh.ready();
      await eventually(() => next.printed().includes('curl'));
      readWelcome(next);
      expect(await total(next)).toBe(3376);
      expect(await next.stop()).toBe(0);
    } finally {
      await fresh.remove();
    }
  });
});
