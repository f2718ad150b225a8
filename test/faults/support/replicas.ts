import { ServiceProcess } from '../../main/service-process';
import { ApiClient } from '../../support/api-client';
import { eventually } from '../../support/eventually';
import { Loader } from './loader';
import type { TestSettings } from '../../support/test-settings';

/** Limits are disabled unless set. A busy machine may delay the event loop, which must not cause a rejection. */
const NO_LIMITS = {
  RATE_LIMIT_REQUESTS: '1000000',
  AUTH_FAILURE_LIMIT: '1000000',
  PUBLIC_RATE_LIMIT_REQUESTS: '1000000',
  maxEventLoopDelayMs: 60_000,
};

const READY_PATIENCE_MS = 60_000;

/** Instances of the built service on one database, each in a process of its own. */
export class Replicas {
  private constructor(
    private readonly settings: TestSettings,
    readonly services: ServiceProcess[],
    readonly origins: string[],
  ) {}

  static start(count: number, settings: TestSettings): Promise<Replicas> {
    return Replicas.withDefaultLimits(count, { ...NO_LIMITS, ...settings });
  }

  static async withDefaultLimits(count: number, settings: TestSettings): Promise<Replicas> {
    const replicas = new Replicas({ HOST: '127.0.0.1', ...settings }, [], []);
    // The first instance creates the schema. The others only wait for their start.
    await replicas.add();
    await Promise.all(Array.from({ length: count - 1 }, () => replicas.add()));
    return replicas;
  }

  /** Starts another instance and returns its index. */
  async add(settings: TestSettings = {}): Promise<number> {
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

  /** Starts a new instance with the index and the port of one that has ended. */
  async restart(index: number): Promise<void> {
    const { port } = new URL(this.origins[index] ?? '');
    this.services[index] = await ServiceProcess.ready({ ...this.settings, PORT: port });
  }

  /**
   * Waits until all instances are ready. After a database outage they reconnect one after another.
   */
  async allReady(): Promise<void> {
    const isReady = async (origin: string): Promise<boolean> =>
      (await fetch(`${origin}/health/ready`)).ok;
    await eventually(
      async () => (await Promise.all(this.origins.map(isReady))).every(Boolean),
      READY_PATIENCE_MS,
    );
  }

  api(index: number, key?: string): ApiClient {
    return new ApiClient(this.origins[index] ?? '', key);
  }

  /** Kills the remaining instances and stops all loaders. */
  async kill(): Promise<void> {
    Loader.stopAll();
    await Promise.all(this.services.map((service) => service.stop('SIGKILL')));
    // Also one that a failed test was starting.
    await ServiceProcess.killAll();
  }
}
