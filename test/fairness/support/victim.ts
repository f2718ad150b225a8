import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { API, type ApiClient } from '../../support/api-client';
import { dataOf, newDatagrid } from '../../support/fixture';

const ROWS = 5_000;
const ROWS_PER_CALL = 1_000;
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

  /** Fills a datagrid and prepares the calls: pages, filtered pages, single rows, and writes. */
  static async create(
    api: ApiClient,
    origins: readonly string[],
    keys: readonly string[],
  ): Promise<Victim> {
    const grid = await newDatagrid(api, [
      { key: 'n', type: 'integer', indexed: true },
      { key: 'name', type: 'text' },
    ]);
    for (let n = 0; n < ROWS; n += ROWS_PER_CALL) {
      const rows = Array.from({ length: ROWS_PER_CALL }, (_, m) => {
        return { values: { n: n + m, name: `Row ${String(n + m)}` } };
      });
      dataOf(await api.post(`${grid}/rows`, { rows }), 201);
    }
    const filter = encodeURIComponent(JSON.stringify({ n: { $lt: 40 } }));
    const path = `${API}${grid}/rows`;
    const calls = [
      { name: 'page', method: 'GET', path: `${path}?limit=20` },
      { name: 'create', method: 'POST', path, body: { values: { n: 7, name: 'New' } } },
      { name: 'row', method: 'GET', path: `${path}/17` },
      { name: 'filtered page', method: 'GET', path: `${path}?filter=${filter}&limit=20` },
      { name: 'update', method: 'PATCH', path: `${path}/18`, body: { values: { name: 'Set' } } },
      { name: 'me', method: 'GET', path: `${API}/me` },
    ];
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
