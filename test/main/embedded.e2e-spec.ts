import { ApiClient } from '../support/api-client';
import { eventually } from '../support/eventually';
import { Installation, ServiceProcess } from './service-process';

// Each program takes its time to start.
jest.setTimeout(120_000);

/** The result of a first start. */
interface Demo {
  readonly key: string;
  /** Path of its rows. */
  readonly rows: string;
}

/** The results of the first two starts on the directory. */
interface Together {
  readonly welcomes: number;
  readonly rows: number;
  readonly exits: readonly (number | null)[];
  /** True if the database was running after the end of the first and of the second service. */
  readonly isRunning: readonly boolean[];
}

let installation: Installation;
let demo: Demo;
let together: Together;
/** The number of rows: those of the demo and those that a service has acknowledged since. */
let acknowledged = 3376;

/** Reads the key and the path of the demo's rows from the output of the first start. */
function readWelcome(service: ServiceProcess): Demo {
  const [, key = '', address = ''] =
    /^curl -H "Authorization: Bearer (\S+)" "(\S+)\?limit=3"$/m.exec(service.printed()) ?? [];
  return { key, rows: new URL(address).pathname.replace('/api/v1/public', '') };
}

async function api(service: ServiceProcess, key = demo.key): Promise<ApiClient> {
  return new ApiClient(await service.origin(), key);
}

async function total(service: ServiceProcess, { key, rows } = demo): Promise<number> {
  return (await (await api(service, key)).get(rows)).body.meta.total;
}

async function create(service: ServiceProcess, iata: string): Promise<number> {
  const values = { iata, name: 'New', country: 'USA', latitude: 1, longitude: 2 };
  const { status } = await (await api(service)).post(demo.rows, { values });
  if (status === 201) acknowledged += 1;
  return status;
}

/** Starts two services on the empty directory, which later tests use too. */
beforeAll(async () => {
  installation = await Installation.create();
  const isRunning = async (): Promise<boolean> => (await installation.postgresPid()) !== undefined;
  const services = await Promise.all([installation.ready(), installation.ready()]);
  const [one, other] = services;
  const first = await eventually(() =>
    services.find((service) => service.printed().includes('curl')),
  );
  demo = readWelcome(first);
  const rows = await total(other);
  // A service that is told to stop completes its start first, including its output.
  const ends = [];
  for (const service of [one, other]) ends.push([await service.stop(), await isRunning()] as const);
  together = {
    welcomes: services.filter((service) => service.printed().includes('API key:')).length,
    rows,
    exits: ends.map(([exit]) => exit),
    isRunning: ends.map(([, isStillRunning]) => isStillRunning),
  };
});

afterAll(async () => {
  await ServiceProcess.killAll();
  await installation.remove();
});

describe('services on one data directory', () => {
  it('create one demo and print one key if they start together on an empty one', () => {
    expect(together).toEqual({
      welcomes: 1,
      rows: 3376,
      exits: [0, 0],
      isRunning: [true, false],
    });
  });

  it('share its database, and the last one stops it', async () => {
    const one = await installation.ready();
    const pid = await installation.postgresPid();
    const other = await installation.ready();
    expect(await installation.postgresPid()).toBe(pid);
    expect(await create(one, 'S001')).toBe(201);
    expect(await total(other)).toBe(acknowledged);

    expect(await one.stop()).toBe(0);
    expect(await installation.postgresPid()).toBe(pid);
    expect(await create(other, 'S002')).toBe(201);
    expect(await other.stop('SIGINT')).toBe(0);
    expect(await installation.postgresPid()).toBeUndefined();
  });
});

describe('a service that is killed', () => {
  it('leaves its database and all acknowledged writes to the next one', async () => {
    const killed = await installation.ready();
    expect(await create(killed, 'K001')).toBe(201);
    const pid = await installation.postgresPid();
    await killed.stop('SIGKILL');
    expect(await installation.postgresPid()).toBe(pid);

    const next = await installation.ready();
    expect(await installation.postgresPid()).toBe(pid);
    expect(await total(next)).toBe(acknowledged);
    expect(await next.stop()).toBe(0);
    expect(await installation.postgresPid()).toBeUndefined();
  });

  it('leaves no partial demo if its database is killed too while the demo is created', async () => {
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
      expect(await total(next, readWelcome(next))).toBe(3376);
      expect(await next.stop()).toBe(0);
    } finally {
      await fresh.remove();
    }
  });
});
