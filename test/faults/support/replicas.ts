import { ServiceProcess } from '../../main/service-process';
import { adminJson } from '../../cli/admin';
import { ApiClient } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { Loader } from './loader';
import type { Environment } from '../../support/built-program';

/** Limits are out of the way unless given. */
const NO_LIMITS = {
  RATE_LIMIT_REQUESTS: '1000000',
  AUTH_FAILURE_LIMIT: '1000000',
  PUBLIC_RATE_LIMIT_REQUESTS: '1000000',
};

/** Instances of the built service on one database, each a process of its own. */
export class Replicas {
  private constructor(
    private readonly settings: Environment,
    readonly services: ServiceProcess[],
    readonly origins: string[],
  ) {}

  static start(count: number, settings: Environment): Promise<Replicas> {
    return Replicas.withDefaultLimits(count, { ...NO_LIMITS, ...settings });
  }

  static async withDefaultLimits(count: number, settings: Environment): Promise<Replicas> {
    const replicas = new Replicas({ HOST: '127.0.0.1', ...settings }, [], []);
    // The first one makes the schema; the others only wait for their program.
    await replicas.add();
    await Promise.all(Array.from({ length: count - 1 }, () => replicas.add()));
    return replicas;
  }

  /** Starts one more, and gives its place. */
  async add(settings: Environment = {}): Promise<number> {
    const service = await ServiceProcess.ready({ ...this.settings, ...settings });
    const origin = await service.origin();
    this.origins.push(origin);
    return this.services.push(service) - 1;
  }

  get(index: number): ServiceProcess {
    const service = this.services[index];
    if (!service) throw new Error(`There is no instance ${String(index)}.`);
    return service;
  }

  /** Starts another one in the place, and on the port, of one that has ended. */
  async restart(index: number): Promise<void> {
    const { port } = new URL(this.origins[index] ?? '');
    this.services[index] = await ServiceProcess.ready({ ...this.settings, PORT: port });
  }

  /** Waits until each is ready: they find a database that was away again one after the other. */
  async allReady(): Promise<void> {
    const isReady = async (origin: string): Promise<boolean> =>
      (await fetch(`${origin}/health/ready`)).ok;
    await eventually(async () => (await Promise.all(this.origins.map(isReady))).every(Boolean));
  }

  api(index: number, key?: string): ApiClient {
    return new ApiClient(this.origins[index] ?? '', key);
  }

  /** Ends those that are left, and whoever still calls them. */
  async kill(): Promise<void> {
    Loader.stopAll();
    await Promise.all(this.services.map((service) => service.stop('SIGKILL')));
  }
}

export interface Owner {
  readonly accountId: string;
  readonly email: string;
  readonly key: string;
}

let serial = 0;

/** A new account's owner with a key, made by the operators' commands. */
export async function newOwner(databaseUrl: string): Promise<Owner> {
  const settings = { DATABASE_URL: databaseUrl };
  const email = `owner-${String((serial += 1))}-${String(process.pid)}@example.com`;
  const { accountId } = await adminJson(
    settings,
    ...['account', 'create', '--name', 'Faults', '--owner-email', email],
  );
  const { key } = await adminJson(settings, 'key', 'create', '--email', email, '--name', 'Faults');
  return { accountId, email, key };
}

/** Another key of a user's, made by the operators' commands. */
export async function newKey(
  databaseUrl: string,
  email: string,
): Promise<{ id: string; key: string }> {
  const settings = { DATABASE_URL: databaseUrl };
  const { id, key } = await adminJson(
    settings,
    'key',
    'create',
    '--email',
    email,
    '--name',
    'More',
  );
  return { id, key };
}
