import { quotaExceeded } from '../../auth/quota/quota-exceeded';
import type { RowRoom } from '../../datagrids/quota/row-quota';
import type { LockedCounter } from '../write/counter.repository';
import type { BatchRow, SlotValues, UniqueHashes } from './batch-row';

/** A unique column's value that a batch speaks of. */
export interface ClaimedValue {
  readonly columnId: number;
  readonly hash: string;
  /** The row that has it before the batch; `null` for none. */
  readonly rowId: number | null;
}

/** What a batch changes in the end. */
export interface NetChange {
  readonly deletedIds: readonly number[];
  readonly changed: readonly BatchRow[];
  /** The slots that a change of one of them has touched. */
  readonly changedSlots: ReadonlySet<string>;
  /** In the order of their ids, which follow the last one. */
  readonly created: readonly SlotValues[];
  /** Created rows that are gone again at the end. */
  readonly goneIds: readonly number[];
}

/**
 * The rows that a batch may touch, in memory, while the datagrid's lock is held: operations take
 * effect here one after another, each seeing those before it, and what is left of them is written
 * at once. So a thousand operations cost a handful of statements, and nothing is written before
 * all that can be refused has been.
 */
export class BatchState {
  /** Of what the batch writes. */
  readonly revision: number;
  readonly at: string;
  private readonly firstId: number;
  private nextId: number;
  /** Rows created without those deleted. */
  private grown = 0;
  private readonly rows = new Map<number, BatchRow>();
  private readonly stored: readonly number[];
  private readonly touched = new Set<number>();
  private readonly changedSlots = new Set<string>();
  private readonly holders = new Map<string, number>();

  constructor(
    counter: LockedCounter,
    stored: readonly BatchRow[],
    claimed: readonly ClaimedValue[],
    private readonly room: RowRoom,
  ) {
    this.revision = counter.revision + 1;
    this.at = counter.at;
    this.firstId = this.nextId = counter.lastRowId + 1;
    this.stored = stored.map(({ id }) => id);
    for (const row of stored) this.rows.set(row.id, row);
    for (const { columnId, hash, rowId } of claimed) {
      if (rowId !== null) this.holders.set(place(columnId, hash), rowId);
    }
    for (const row of stored) this.claim(row);
  }

  find(id: number): BatchRow | undefined {
    return this.rows.get(id);
  }

  /** The row that has a unique column's value at this moment. */
  holder(columnId: number, hash: string): number | undefined {
    return this.holders.get(place(columnId, hash));
  }

  /** Whether the batch itself has created the row. */
  isNew(id: number): boolean {
    return id >= this.firstId;
  }

  /** @throws AppError `quota_exceeded` */
  create(values: SlotValues, hashes: UniqueHashes): BatchRow {
    const { left, most } = this.room;
    if (this.grown >= Math.max(0, left)) throw quotaExceeded('rows', most);
    this.grown += 1;
    const { revision, at } = this;
    const row = { id: this.nextId, values, hashes, revision, createdAt: at, updatedAt: at };
    this.nextId += 1;
    this.rows.set(row.id, row);
    this.claim(row);
    return row;
  }

  /** @param slots Those whose values differ from the old ones. */
  change(
    old: BatchRow,
    values: SlotValues,
    hashes: UniqueHashes,
    slots: readonly string[],
  ): BatchRow {
    const { revision, at } = this;
    const row = { ...old, values, hashes, revision, updatedAt: at };
    this.release(old);
    this.rows.set(row.id, row);
    this.claim(row);
    this.touched.add(row.id);
    for (const slot of slots) this.changedSlots.add(slot);
    return row;
  }

  delete(row: BatchRow): void {
    this.release(row);
    this.rows.delete(row.id);
    this.grown -= 1;
  }

  /** `null` where nothing changes. */
  net(): NetChange | null {
    const deletedIds = this.stored.filter((id) => !this.rows.has(id));
    const changed = this.stored.flatMap((id) => {
      const row = this.touched.has(id) ? this.rows.get(id) : undefined;
      return row ? [row] : [];
    });
    const ids = Array.from({ length: this.nextId - this.firstId }, (_, i) => this.firstId + i);
    if (deletedIds.length + changed.length + ids.length === 0) return null;
    const created = ids.map((id) => this.rows.get(id)?.values ?? {});
    const goneIds = ids.filter((id) => !this.rows.has(id));
    return { deletedIds, changed, changedSlots: this.changedSlots, created, goneIds };
  }

  private claim({ id, hashes }: BatchRow): void {
    for (const [columnId, hash] of hashes) this.holders.set(place(columnId, hash), id);
  }

  private release({ hashes }: BatchRow): void {
    for (const [columnId, hash] of hashes) this.holders.delete(place(columnId, hash));
  }
}

const place = (columnId: number, hash: string): string => `${String(columnId)} ${hash}`;
