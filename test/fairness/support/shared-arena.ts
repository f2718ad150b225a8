import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newKeys, newOwner } from '../../faults/support/owner';
import { PostgresServer } from '../../faults/support/postgres-server';
import { Replicas } from '../../faults/support/replicas';
import { LOOPBACK_ALLOWED } from '../../support/webhook-receiver';
import { HEAP, INSTANCES, VICTIM_KEYS } from './limits';
import { StatementGate, type Held } from './statement-gate';

/** Settings of the shared instances beside the defaults. */
export const SHARED_SETTINGS: Readonly<Record<string, string>> = {
  ...LOOPBACK_ALLOWED,
  AUTOMATIC_INDEX_MIN_ROWS: '500',
  // Each attack of anonymous clients has its own client address.
  TRUSTED_PROXIES: '127.0.0.1',
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

/** Instances for all test files of a run, each with a gate between itself and PostgreSQL. */
class SharedArena {
  constructor(
    private readonly postgres: PostgresServer,
    private readonly gates: readonly StatementGate[],
    private readonly replicas: Replicas,
    private readonly control: Server,
  ) {}

  async stop(): Promise<void> {
    await this.replicas.kill();
    this.control.close();
    for (const gate of this.gates) gate.close();
    await this.postgres.remove();
  }
}

let shared: SharedArena | undefined;

/** Starts the instances before the first test file, and describes them in a variable. */
export async function start(): Promise<void> {
  const postgres = await PostgresServer.start({ fsync: 'off', max_connections: '100' });
  const first = await StatementGate.start(postgres.socketPath);
  const gates = [first];
  const settings = { NODE_OPTIONS: HEAP, ...SHARED_SETTINGS };
  const replicas = await Replicas.withDefaultLimits(1, {
    DATABASE_URL: first.databaseUrl,
    ...settings,
  });
  while (gates.length < INSTANCES) {
    const gate = await StatementGate.start(postgres.socketPath);
    gates.push(gate);
    await replicas.add({ DATABASE_URL: gate.databaseUrl });
  }
  const control = await startControl(gates);
  shared = new SharedArena(postgres, gates, replicas, control);
  const owner = await newOwner(postgres.url);
  const others = await newKeys(postgres.url, owner.email, VICTIM_KEYS - 1);
  const { port } = control.address() as AddressInfo;
  const instances: SharedInstances = {
    databaseUrl: postgres.url,
    origins: replicas.origins,
    processIds: replicas.services.map(({ child }) => child.pid ?? 0),
    victimKeys: [owner.key, ...others.map(({ key }) => key)],
    controlUrl: `http://127.0.0.1:${String(port)}`,
  };
  process.env[VARIABLE] = JSON.stringify(instances);
}

export async function stop(): Promise<void> {
  await shared?.stop();
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
