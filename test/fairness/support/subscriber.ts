import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { API, type ApiClient } from '../../support/api-client';
import { dataOf, newDatagrid, newWorkspace } from '../../support/fixture';

const WRITES_PER_SECOND = 4;

/** What a subscriber saw. Times are from the response of a write; infinite if nothing came. */
export interface Received {
  /** Writes and streams that failed. */
  readonly rejected: readonly string[];
  /** Time to the delivery of each row. */
  readonly deliveryMs: readonly number[];
  /** Time to the event of each row, in the stream of each instance. */
  readonly tailMs: readonly number[];
}

/** An account with a webhook and a live tail on each instance, which writes at a steady rate. */
export class Subscriber {
  private constructor(private readonly worker: Worker) {}

  static async create(
    api: ApiClient,
    origins: readonly string[],
    key: string,
  ): Promise<Subscriber> {
    const worker = new Worker(join(__dirname, 'subscriber-worker.mjs'), {
      workerData: { origins, key, writesPerSecond: WRITES_PER_SECOND },
    });
    const [port] = (await once(worker, 'message')) as [number];
    const workspaceId = await newWorkspace(api);
    const path = await newDatagrid(api, [{ key: 'n', type: 'integer' }], workspaceId);
    const url = `http://127.0.0.1:${String(port)}/`;
    dataOf(await api.post(`/workspaces/${workspaceId}/webhooks`, { url }), 201);
    worker.postMessage({ name: 'follow', datagrid: `${API}${path}` });
    await once(worker, 'message');
    return new Subscriber(worker);
  }

  /** Writes rows while `work` runs. @returns what was received of them. */
  async during(work: () => Promise<unknown>): Promise<Received> {
    this.worker.postMessage({ name: 'start' });
    try {
      await work();
    } finally {
      this.worker.postMessage({ name: 'stop' });
    }
    const [received] = (await once(this.worker, 'message')) as [Received];
    return received;
  }

  /** Waits until that many rows have been delivered and streamed by all instances since `during`. */
  async untilArrived(arrived: number): Promise<void> {
    this.worker.postMessage({ name: 'report', arrived });
    await once(this.worker, 'message');
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}
