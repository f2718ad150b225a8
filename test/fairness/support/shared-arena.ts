import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newKeys, newOwner } from '../../faults/support/owner';
import { PostgresServer } from '../../faults/support/postgres-server';
import { ServiceProcess } from '../../main/service-process';
import type { TestSettings } from '../../support/test-settings';
import { LOOPBACK_ALLOWED } from '../../support/webhook-receiver';
import { HEAP, INSTANCES, VICTIM_KEYS } from './limits';
import { StatementGate, type Held } from './statement-gate';

/** Settings of the shared instances beside the defaults. */
export const SHARED_SETTINGS: TestSettings = {
  ...LOOPBACK_ALLOWED,
  // Each attack of anonymous clients has its own client address.
  TRUSTED_PROXIES: '127.0.0.1',
};

/**
 * Statements that a gate holds do not time out, however busy the machine is. The connection of such a one
 * would close beside that of its successor, and both would count.
 */
const HELD_FOR_MS = 600_000;
const WITHOUT_TIMEOUTS = {
  QUERY_TIMEOUT_MS: String(HELD_FOR_MS),
  STATEMENT_TIMEOUT_MS: String(HELD_FOR_MS),
  idleTransactionTimeoutMs: HELD_FOR_MS,
};

/** What test files need to know of the shared instances. */
export interface SharedInstances {
  /** URL that bypasses the gates. */
  readonly databaseUrl: string;
  readonly origins: readonly string[];
  readonly processIds: readonly number[];
  readonly victimKeys: readonly string[];
  /** Controls the gates: see `GateControl`. */
  readonly controlUrl: string;
}

const VARIABLE = 'FAIRNESS_INSTANCES';

/** Steps that undo those of the start. */
const undo: (() => unknown)[] = [];

/** Starts the instances before the first test file, and describes them in a variable. */
export async function start(): Promise<void> {
  try {
    process.env[VARIABLE] = JSON.stringify(await startInstances());
  } catch (error) {
    await stop();
    throw error;
  }
}

export async function stop(): Promise<void> {
  for (const step of undo.reverse()) await step();
}

/** Starts instances, each with a gate between itself and PostgreSQL, and creates the victim. */
async function startInstances(): Promise<SharedInstances> {
  const postgres = await PostgresServer.start({ fsync: 'off', max_connections: '100' });
  undo.push(() => postgres.remove());
  undo.push(() => ServiceProcess.killAll());
  const gates: StatementGate[] = [];
  const services: ServiceProcess[] = [];
  // The first one creates the schema.
  while (services.length < INSTANCES) {
    const gate = await StatementGate.start(postgres.socketPath);
    undo.push(() => {
      gate.close();
    });
    gates.push(gate);
    services.push(
      await ServiceProcess.ready({
        HOST: '127.0.0.1',
        NODE_OPTIONS: HEAP,
        DATABASE_URL: gate.databaseUrl,
        ...SHARED_SETTINGS,
        ...WITHOUT_TIMEOUTS,
      }),
    );
  }
  const control = await startControl(gates);
  undo.push(() => control.close());
  const owner = await newOwner(postgres.url);
  const others = await newKeys(postgres.url, owner.email, VICTIM_KEYS - 1);
  const { port } = control.address() as AddressInfo;
  return {
    databaseUrl: postgres.url,
    origins: await Promise.all(services.map((service) => service.origin())),
    processIds: services.map(({ child }) => child.pid ?? 0),
    victimKeys: [owner.key, ...others.map(({ key }) => key)],
    controlUrl: `http://127.0.0.1:${String(port)}`,
  };
}

export function sharedInstances(): SharedInstances {
  return JSON.parse(process.env[VARIABLE] ?? '') as SharedInstances;
}

/** The test files run in another process than the gates. */
async function startControl(gates: readonly StatementGate[]): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const texts = JSON.parse(Buffer.concat(chunks).toString()) as readonly string[] | null;
      for (const gate of gates) {
        if (texts === null) gate.release();
        else if (texts.length > 0) gate.hold(texts);
      }
      response.end(JSON.stringify(gates.map(({ held }) => held)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Controls the gates of all instances. */
export class GateControl {
  constructor(private readonly url: string) {}

  hold(texts: readonly string[]): Promise<readonly Held[]> {
    return this.call(texts);
  }

  release(): Promise<readonly Held[]> {
    return this.call(null);
  }

  /** Returns the held connections of each instance. */
  held(): Promise<readonly Held[]> {
    return this.call([]);
  }

  private async call(texts: readonly string[] | null): Promise<readonly Held[]> {
    const response = await fetch(this.url, { method: 'POST', body: JSON.stringify(texts) });
    return (await response.json()) as readonly Held[];
  }
}
