import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Pool } from 'pg';
import { AccountService } from '../../src/auth/account.service';
import { ApiKeyService } from '../../src/auth/api-key/api-key.service';
import { createApplication } from '../../src/create-application';
import { readConfig } from '../../src/platform/config/app-config';
import { createLogger } from '../../src/platform/logging/logger';
import { cpuMicros } from '../cpu-time';
import type { Bench } from '../prepare';
import type { ServerProcess } from '../server-process';
import { Api } from './api';
import { type Figure, watchCpu } from './figures';

const WEBHOOKS = 20;
const DATAGRIDS = 20;
/** Writes to each datagrid. They alternate between two kinds, which one event cannot have. */
const WRITES = 20;
const DEAD = 1_000;
const SETTINGS = {
  WEBHOOK_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8',
  MAX_WEBHOOKS_PER_ACCOUNT: '2000',
  MAX_DELIVERIES_PER_SECOND: '1000000',
};
const TIMEOUT_MS = 60_000;

interface Rate {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly clientCpu: number;
}

/** An account with webhooks that work, and its datagrids. */
interface Living {
  readonly api: Api;
  readonly url: string;
  readonly datagridIds: readonly string[];
}

/** A service that is the only one of its database: others would deliver as well. */
interface DeliveryBench {
  readonly service: ServerProcess;
  readonly sql: Pool;
  /** API keys of two accounts. */
  readonly keys: readonly [living: string, dead: string];
}

/** Measures deliveries of a backlog, alone and beside endpoints that never respond. */
export async function measureDeliveries(bench: Bench): Promise<Figure[]> {
  const setup = await prepareDeliveryBench(bench);
  const { service, sql, keys } = setup;
  const receiver = fork(join(__dirname, 'webhook-receiver.js'));
  try {
    const [port] = (await once(receiver, 'message')) as [number];
    const url = `http://127.0.0.1:${String(port)}`;
    const living = await createLiving(new Api(service.port, keys[0]), `${url}/`, receiver);
    // The first backlog warms up.
    await deliver(setup, living, receiver);
    const alone = await deliver(setup, living, receiver);
    await createDead(new Api(service.port, keys[1]), `${url}/dead`);
    const beside = await deliver(setup, living, receiver);
    const share = beside.perSecond / alone.perSecond;
    return [
      {
        measure: 'webhook deliveries',
        target: '≥ 1,500 for each second of CPU time of the service',
        measured: `${alone.perCpuSecond.toFixed(0)} (${alone.perSecond.toFixed(0)}/s)`,
        isMet: alone.perCpuSecond >= 1_500,
        clientCpu: alone.clientCpu,
      },
      {
        measure: `the same beside ${DEAD.toLocaleString('en')} endpoints that do not respond`,
        target: '≥ 0.9 of the rate',
        measured: `${share.toFixed(2)} (${beside.perSecond.toFixed(0)}/s, ${beside.perCpuSecond.toFixed(0)} for each second of CPU time)`,
        isMet: share >= 0.9,
        clientCpu: beside.clientCpu,
      },
    ];
  } finally {
    receiver.kill('SIGKILL');
    await service.stop();
    await sql.end();
  }
}

async function prepareDeliveryBench(bench: Bench): Promise<DeliveryBench> {
  await bench.sql.query('CREATE DATABASE deliveries');
  const url = bench.databaseUrl.replace(/^(\w+:\/\/[^/]*\/)[^?]*/, '$1deliveries');
  const config = readConfig({ DATABASE_URL: url, LOG_LEVEL: 'silent' });
  const app = await createApplication(config, url, createLogger(config));
  await app.init();
  const newKey = async (name: string): Promise<string> => {
    const { userId } = await app.get(AccountService).create(name, `${name}@example.com`);
    return (await app.get(ApiKeyService).create(userId, 'bench', null, 'operator')).key;
  };
  const keys = [await newKey('living'), await newKey('dead')] as const;
  await app.close();
  const service = await bench.startService(undefined, { ...SETTINGS, DATABASE_URL: url });
  return { service, sql: new Pool({ connectionString: url, max: 1 }), keys };
}

async function create(api: Api, path: string, body: object): Promise<string> {
  return (await api.send<{ data: { id: string } }>('POST', path, body)).data.id;
}

const COLUMNS = [{ key: 'n', type: 'integer' }];

async function createLiving(api: Api, url: string, receiver: ChildProcess): Promise<Living> {
  const path = `/workspaces/${await create(api, '/workspaces', { name: 'Living' })}`;
  const datagridIds: string[] = [];
  for (let n = 0; n < DATAGRIDS; n += 1) {
    const body = { name: `Datagrid ${String(n)}`, columns: COLUMNS };
    datagridIds.push(await create(api, `${path}/datagrids`, body));
  }
  for (let n = 0; n < WEBHOOKS; n += 1) await create(api, `${path}/webhooks`, { url });
  for (const id of datagridIds) {
    await api.send('POST', `/datagrids/${id}/rows`, { values: { n: 0 } });
  }
  await untilAccepted(receiver, WEBHOOKS * DATAGRIDS);
  return { api, url, datagridIds };
}

async function createDead(api: Api, url: string): Promise<void> {
  const path = `/workspaces/${await create(api, '/workspaces', { name: 'Dead' })}`;
  const id = await create(api, `${path}/datagrids`, { name: 'Datagrid', columns: COLUMNS });
  for (let n = 0; n < DEAD; n += 1) await create(api, `${path}/webhooks`, { url });
  await api.send('POST', `/datagrids/${id}/rows`, { values: { n: 0 } });
}

/** Writes while the webhooks are disabled, and measures how fast the events are then delivered. */
async function deliver(
  { sql, service }: DeliveryBench,
  { api, url, datagridIds }: Living,
  receiver: ChildProcess,
): Promise<Rate> {
  const enable = (isEnabled: boolean): Promise<unknown> =>
    sql.query('UPDATE webhooks SET enabled = $2 WHERE url = $1', [url, isEnabled]);
  await enable(false);
  for (const id of datagridIds) {
    for (let n = 0; n < WRITES / 2; n += 1) {
      await api.send('POST', `/datagrids/${id}/rows`, { values: { n } });
      await api.send('PATCH', `/datagrids/${id}/rows/1`, { values: { n: n + 10 } });
    }
  }
  const before = await acceptedBy(receiver);
  const expected = WEBHOOKS * DATAGRIDS * WRITES;
  const clientCpu = watchCpu([receiver.pid ?? 0]);
  const [startedMs, cpuAtStart] = [performance.now(), cpuMicros(service.pid)];
  await enable(true);
  await untilAccepted(receiver, before + expected);
  const seconds = (performance.now() - startedMs) / 1_000;
  const cpuSeconds = (cpuMicros(service.pid) - cpuAtStart) / 1_000_000;
  return {
    perSecond: expected / seconds,
    perCpuSecond: expected / cpuSeconds,
    clientCpu: clientCpu(),
  };
}

async function untilAccepted(receiver: ChildProcess, count: number): Promise<void> {
  const endMs = performance.now() + TIMEOUT_MS;
  while ((await acceptedBy(receiver)) < count) {
    if (performance.now() > endMs) throw new Error('The webhooks were not delivered in time.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function acceptedBy(receiver: ChildProcess): Promise<number> {
  const count = once(receiver, 'message') as Promise<[number]>;
  receiver.send('count');
  return (await count)[0];
}
