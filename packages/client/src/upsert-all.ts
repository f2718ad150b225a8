import { ApiError } from './error.ts';
import type { OperationResult, ValueChanges } from './row-types.ts';
import type { CallOptions } from './transport.ts';

/** Limits of one request, with room: the service accepts 1,000 rows, 10 MiB and a million values. */
const MAX_ROWS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Numbers of rows by what an upsert did with them. */
export interface UpsertTotals {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

export interface UpsertAllOptions extends Omit<CallOptions, 'idempotencyKey'> {
  /** Rows in a request, up to 1,000, which is the default. */
  readonly batchRows?: number | undefined;
  /** Receives the totals after each batch. */
  readonly onProgress?: ((totals: UpsertTotals) => void) | undefined;
}

interface Upserts<V extends object> {
  upsert(
    matchOn: readonly (keyof V & string)[],
    rows: readonly ValueChanges<V>[],
    options: CallOptions & { readonly minimal: true },
  ): Promise<readonly Pick<OperationResult, 'status'>[]>;
}

/**
 * Upserts rows in batches. Each batch is all or nothing, and is retried with its own key. If the same
 * key comes twice, the second row is in a later batch. After an error, run it again: rows that were
 * written are then unchanged.
 */
export async function upsertAll<V extends object>(
  target: Upserts<V>,
  matchOn: readonly (keyof V & string)[],
  rows: AsyncIterable<ValueChanges<V>> | Iterable<ValueChanges<V>>,
  { batchRows = MAX_ROWS, onProgress, ...call }: UpsertAllOptions,
): Promise<UpsertTotals> {
  const totals = { created: 0, updated: 0, unchanged: 0 };
  const write = async (batch: readonly ValueChanges<V>[]): Promise<void> => {
    try {
      for (const { status } of await target.upsert(matchOn, batch, { ...call, minimal: true })) {
        if (status in totals) totals[status as keyof UpsertTotals] += 1;
      }
    } catch (error) {
      if (batch.length === 1 || !isTooLarge(error)) throw error;
      // Nothing was written. Stored rows can be much larger than those that are sent.
      const half = Math.ceil(batch.length / 2);
      await write(batch.slice(0, half));
      await write(batch.slice(half));
    }
  };
  const batch = new Batch<V>(matchOn, Math.min(batchRows, MAX_ROWS));
  const flush = async (): Promise<void> => {
    await write(batch.take());
    onProgress?.({ ...totals });
  };
  for await (const row of rows) {
    if (batch.isFullFor(row)) await flush();
    batch.add(row);
  }
  if (batch.size > 0) await flush();
  return totals;
}

function isTooLarge(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === 413 || error.details.some(({ code }) => code === 'too_large');
}

class Batch<V extends object> {
  private rows: ValueChanges<V>[] = [];
  private keys = new Set<string>();
  private bytes = 0;

  constructor(
    private readonly matchOn: readonly (keyof V & string)[],
    private readonly maxRows: number,
  ) {}

  get size(): number {
    return this.rows.length;
  }

  isFullFor(row: ValueChanges<V>): boolean {
    if (this.rows.length === 0) return false;
    const isLarge = this.bytes + bytesOf(row) > MAX_BYTES;
    return this.rows.length >= this.maxRows || isLarge || this.keys.has(this.keyOf(row));
  }

  add(row: ValueChanges<V>): void {
    this.rows.push(row);
    this.keys.add(this.keyOf(row));
    this.bytes += bytesOf(row);
  }

  take(): readonly ValueChanges<V>[] {
    const { rows } = this;
    this.rows = [];
    this.keys = new Set();
    this.bytes = 0;
    return rows;
  }

  private keyOf(row: ValueChanges<V>): string {
    return JSON.stringify(this.matchOn.map((key) => row[key]));
  }
}

/** Upper bound of the size as JSON: a UTF-16 code unit takes up to three bytes. */
const bytesOf = (row: object): number => 3 * JSON.stringify(row).length;
