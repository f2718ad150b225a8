import { eventually } from '../support/eventually';
import { ApiClient, type ApiResponse } from '../support/api-client';
import { isAlive, type ServiceProcess } from './service-process';

/** A new connection for each request. The workers get connections in turns. */
export const OWN_CONNECTION = { connection: 'close' };

const PATIENCE_MS = 60_000;

/** A service with several workers. */
export class WorkerInstance {
  constructor(readonly service: ServiceProcess) {}

  /** Returns the process ids of the workers that were started last, by number. */
  pids(): Map<number, number> {
    const started = this.service.log().filter(({ msg }) => msg === 'worker started');
    return new Map(started.map(({ worker, workerPid }) => [Number(worker), Number(workerPid)]));
  }

  /** Returns the process id of a worker. */
  pid(number: number): number {
    const pid = this.pids().get(number);
    if (pid === undefined) throw new Error(`Worker ${String(number)} was not started.`);
    return pid;
  }

  async api(key?: string): Promise<ApiClient> {
    return new ApiClient(await this.service.origin(), key, undefined, OWN_CONNECTION);
  }

  /** Returns the numbers of the workers that have answered requests for a route. */
  answered(route: string): number[] {
    const requests = this.service.log().filter((line) => line['route'] === route);
    return [...new Set(requests.map(({ worker }) => Number(worker)))].sort();
  }

  /** Kills a worker, and waits until another one has its number and is ready. */
  async kill(number: number, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const killed = this.pid(number);
    process.kill(killed, signal);
    await eventually(() => this.isReady(number) && this.pid(number) !== killed, PATIENCE_MS);
  }

  private isReady(number: number): boolean {
    const workerPid = this.pid(number);
    const lines = this.service.log();
    return lines.some((line) => line['msg'] === 'worker ready' && line['workerPid'] === workerPid);
  }

  /** Waits until no worker is alive. */
  async ended(): Promise<void> {
    await eventually(() => [...this.pids().values()].every((pid) => !isAlive(pid)), PATIENCE_MS);
  }
}

/** Returns the statuses of requests that are sent at once, each on a connection of its own. */
export async function statusesOf(
  count: number,
  send: () => Promise<ApiResponse>,
): Promise<number[]> {
  const responses = await Promise.all(Array.from({ length: count }, send));
  return responses.map(({ status }) => status);
}
