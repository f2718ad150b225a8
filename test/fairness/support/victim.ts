import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ApiClient } from '../../support/api-client';
import { newVictimCalls } from './victim-calls';

const ROWS = 5_000;
/** Below the limit of the keys together: 600 a minute for each, on each of two instances. */
const REQUESTS_PER_SECOND = 30;

/** Outcome of one request of the victim. */
export interface Reply {
  /** Kind of the request, such as `page`. */
  readonly name: string;
  /** 0 if no response came. */
  readonly status: number;
  /** Body of an error response. */
  readonly text: string;
  /** Time since the request was due. */
  readonly tookMs: number;
}

/** An account that reads and writes at a steady rate, as an integration does. */
export class Victim {
  private constructor(private readonly worker: Worker) {}

  static async create(
    api: ApiClient,
    origins: readonly string[],
    keys: readonly string[],
  ): Promise<Victim> {
    const calls = await newVictimCalls(api, ROWS);
    const worker = new Worker(join(__dirname, 'victim-worker.mjs'), {
      workerData: { origins, keys, calls, requestsPerSecond: REQUESTS_PER_SECOND },
    });
    await once(worker, 'online');
    return new Victim(worker);
  }

  /** Sends requests at a steady rate while `work` runs. @returns every response. */
  async during(work: () => Promise<unknown>): Promise<readonly Reply[]> {
    this.worker.postMessage('start');
    try {
      await work();
    } finally {
      this.worker.postMessage('stop');
    }
    const [replies] = (await once(this.worker, 'message')) as [readonly Reply[]];
    return replies;
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}
