import { setTimeout as delay } from 'node:timers/promises';
import { NumberedGrid } from '../faults/support/numbered-grid';
import { API, FileBody, type ApiClient, type Json } from '../support/api-client';
import { eventually } from '../support/eventually';
import { newDatagrid } from '../support/fixture';

const LINES = 50;
const AFTER_FAILURE_MS = 100;

/** Imports of numbered rows, one after another. Each report says which of its lines are stored. */
export class ImportedRows {
  completed = 0;
  failed = 0;
  private readonly expected: number[] = [];
  private readonly wrong: string[] = [];
  private last = 0;

  private constructor(
    readonly path: string,
    private readonly api: ApiClient,
  ) {}

  static async create(api: ApiClient): Promise<ImportedRows> {
    return new ImportedRows(await newDatagrid(api, [{ key: 'n', type: 'integer' }]), api);
  }

  /** Imports until the signal is aborted. */
  async run(end: AbortSignal): Promise<void> {
    while (!end.aborted) {
      if (!(await this.importOnce())) await delay(AFTER_FAILURE_MS);
    }
  }

  /** Returns what differs between the stored rows and the reports, and responses that are not allowed. */
  async wrongRows(): Promise<string[]> {
    const stored = (await NumberedGrid.stored(this.api, this.path)).sort((a, b) => a - b);
    const isSame = stored.join() === this.expected.join();
    const counts = `${String(stored.length)} rows, expected ${String(this.expected.length)}`;
    return isSame ? this.wrong : [...this.wrong, counts];
  }

  /** @returns whether the import completed. */
  private async importOnce(): Promise<boolean> {
    const numbers = Array.from({ length: LINES }, (_, index) => this.last + index + 1);
    this.last += LINES;
    const lines = numbers.map((n) => JSON.stringify({ n })).join('\n');
    const file = new FileBody('application/x-ndjson', lines);
    const response = await this.api.post(`${this.path}/rows/import`, file);
    const location = response.headers.get('location');
    if (![201, 202, 503].includes(response.status)) {
      this.wrong.push(`${String(response.status)} ${response.text}`);
    }
    if (location === null) return false;
    const report = await this.ended(location.slice(API.length));
    const isCompleted = report.state === 'completed';
    const stored = isCompleted ? LINES : (report.committedRows as number);
    this.expected.push(...numbers.slice(0, stored));
    if (isCompleted) this.completed += 1;
    else this.failed += 1;
    return isCompleted;
  }

  private ended(path: string): Promise<Json> {
    return eventually(async () => {
      const { status, body } = await this.api.get(path);
      return status === 200 && body.data.state !== 'running' && body.data;
    }, 240_000);
  }
}
