import { dataOf, newDatagrid } from '../support/fixture';
import type { ApiClient } from '../support/api-client';
import type { Call, CallResult } from '../faults/support/loader';

const COLUMNS = [
  { key: 'sku', type: 'text', unique: true },
  { key: 'n', type: 'integer', indexed: true },
];

/** A write, and the number that the row then has; null if it is deleted. */
interface OwnWrite {
  readonly call: Call;
  readonly sku: string;
  readonly n: number | null;
}

/**
 * Rows of which each client writes its own, in every way but a single create. A write without a success
 * is sent again until it succeeds, so the rows in the end are known.
 */
export class OwnRows {
  acknowledged = 0;
  private readonly expected = new Map<string, number>();
  private readonly writing = new Map<number, OwnWrite>();
  private serial = 0;
  private isOver = false;

  private constructor(private readonly path: string) {}

  /** @param clients Number of clients that write. */
  static async create(api: ApiClient, clients: number): Promise<OwnRows> {
    const own = new OwnRows(await newDatagrid(api, COLUMNS));
    const rows = Array.from({ length: clients }, (_, client) => ({
      values: { sku: keptSku(client), n: 0 },
    }));
    dataOf(await api.post(`${own.path}/rows`, { rows }), 201);
    for (const { values } of rows) own.expected.set(values.sku, values.n);
    return own;
  }

  /** Returns the next call of a client; the `next` option of a loader. */
  readonly next = (client: number, last: CallResult | undefined): Call | undefined => {
    if (last && isOpen(last)) return last.call;
    if (last) this.note(client, last);
    if (this.isOver) return undefined;
    const write = this.nextWrite(client);
    this.writing.set(client, write);
    return write.call;
  };

  /** Ends the load. Writes in progress are sent again until they succeed. */
  end(): void {
    this.isOver = true;
  }

  /** Returns the rows that the writes leave, as `sku: n`. */
  expectedRows(): string[] {
    return [...this.expected].map(([sku, n]) => `${sku}: ${String(n)}`).sort();
  }

  /** Returns the stored rows, as `sku: n`. */
  async storedRows(api: ApiClient): Promise<string[]> {
    const rows = dataOf(await api.get(`${this.path}/rows?limit=200`), 200) as {
      values: { sku: string; n: number };
    }[];
    return rows.map(({ values: { sku, n } }) => `${sku}: ${String(n)}`).sort();
  }

  private nextWrite(client: number): OwnWrite {
    const n = (this.serial += 1);
    const rows = `${this.path}/rows`;
    const kept = { sku: keptSku(client), n };
    const moving = { sku: `moving ${String(client)}`, n };
    const path = `${rows}/${String(client + 1)}`;
    const operations = [{ op: 'upsert', matchOn: ['sku'], values: moving }];
    const batch = { mode: 'atomic', operations };
    const upsert = { matchOn: ['sku'], rows: [{ values: moving }] };
    const writes: OwnWrite[] = [
      { ...kept, call: { method: 'PATCH', path, body: { values: { n } } } },
      { ...kept, call: { method: 'PUT', path, body: { values: kept } } },
      { ...moving, call: { method: 'PUT', path: rows, body: upsert } },
      { ...moving, call: { method: 'POST', path: `${rows}/batch`, body: batch } },
      {
        ...moving,
        n: null,
        call: { method: 'POST', path: `${rows}/delete`, body: { filter: { sku: moving.sku } } },
      },
    ];
    const [first] = writes;
    const write = writes[n % writes.length] ?? first;
    if (!write) throw new Error('There is no write.');
    return write;
  }

  private note(client: number, { status, text }: CallResult): void {
    const write = this.writing.get(client);
    if (!write || status < 200 || status >= 300) throw new Error(`${String(status)} ${text}`);
    this.acknowledged += 1;
    if (write.n === null) this.expected.delete(write.sku);
    else this.expected.set(write.sku, write.n);
  }
}

/** Returns whether the write is to be sent again. */
function isOpen({ status }: CallResult): boolean {
  return status === 0 || status === 429 || status >= 500;
}

/** Value of the row of a client that it never deletes. */
function keptSku(client: number): string {
  return `kept ${String(client)}`;
}
