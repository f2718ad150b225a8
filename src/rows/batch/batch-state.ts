import { quotaExceeded } from '../../auth/quota/quota.service';
import type { JsonValue } from '../../common/json/token-reader';
import type { RowRoom } from '../../datagrids/quota/row-quota';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { printRow, type RowHead } from '../storage/row-json';
import type { ReadOnlyValues } from '../values/read-only-values';
import type { LockedCounter } from '../write/counter.repository';

/** A value in a unique column that a batch contains. */
export interface ClaimedValue {
  readonly columnId: number;
  readonly hash: string;
  /** Row that holds the value before the batch; `null` if none does. */
  readonly rowId: number | null;
}

/** Net change of a batch. */
export interface NetChange {
  readonly deletedIds: readonly number[];
  readonly changed: readonly BatchRow[];
  /** Slots that at least one change has modified. */
  readonly changedSlots: ReadonlySet<string>;
  /** Values of the created rows, in id order. The ids follow the datagrid's last row id. */
  readonly created: readonly SlotValues[];
  /** Ids of rows that the batch has created and then deleted. */
  readonly goneIds: readonly number[];
}

/**
 * Holds in memory the rows that a batch can touch, while the datagrid's lock is held. Operations
 * take effect here one after another, and each sees the effects of those before it. Their net
 * change is then written at once. A thousand operations therefore cost a handful of statements,
 * and nothing is written until every operation that can be rejected has been checked.
 */
export class BatchState {
  /** Revision of the rows that the batch writes. */
  readonly revision: number;
  readonly at: string;
  private readonly firstId: number;
  private nextId: number;
  /** Number of created rows minus number of deleted rows. */
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
    /** Sets the values of the columns that the service sets. */
    readonly readOnly: ReadOnlyValues,
  ) {
    this.revision = counter.revision + 1;
    this.at = counter.at;
    this.firstId = this.nextId = counter.lastRowId + 1;
    this.stored = stored.map(({ id }) => id);
    for (const row of stored) this.rows.set(row.id, row);
    for (const { columnId, hash, rowId } of claimed) {
      if (rowId !== null) this.holders.set(claimKey(columnId, hash), rowId);
    }
    for (const row of stored) this.claim(row);
  }

  find(id: number): BatchRow | undefined {
    return this.rows.get(id);
  }

  /** Returns the id of the row that currently holds a value of a unique column. */
  holder(columnId: number, hash: string): number | undefined {
    return this.holders.get(claimKey(columnId, hash));
  }

  /** Returns whether the batch has created the row. */
  isNew(id: number): boolean {
    return id >= this.firstId;
  }

  /** @throws AppError `quota_exceeded` */
  create(values: SlotValues, hashes: UniqueHashes): BatchRow {
    const { left, max } = this.room;
    if (this.grown >= Math.max(0, left)) throw quotaExceeded('rows', max);
    this.grown += 1;
    const { revision, at } = this;
    const id = this.nextId;
    const own = this.readOnly.ofNew(id, values);
    const row = { id, values: own, hashes, revision, createdAt: at, updatedAt: at };
    this.nextId += 1;
    this.rows.set(row.id, row);
    this.claim(row);
    return row;
  }

  /**
   * @param values Values with those that `readOnly.kept` returns.
   * @param slots Slots whose values differ from the old ones.
   */
  change(
    old: BatchRow,
    values: SlotValues,
    hashes: UniqueHashes,
    slots: readonly string[],
  ): BatchRow {
    const { revision, at } = this;
    const own = this.readOnly.ofChanged(values);
    const row = { ...old, values: own, hashes, revision, updatedAt: at };
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

  /** Returns the net change, or `null` if nothing changes. */
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
    for (const [columnId, hash] of hashes) this.holders.set(claimKey(columnId, hash), id);
  }

  private release({ hashes }: BatchRow): void {
    for (const [columnId, hash] of hashes) this.holders.delete(claimKey(columnId, hash));
  }
}

const claimKey = (columnId: number, hash: string): string => `${String(columnId)} ${hash}`;

export type SlotValues = Readonly<Record<string, JsonValue>>;

/** Hashes of a row's values in unique columns, by column id. */
export type UniqueHashes = ReadonlyMap<number, string>;

/** A row in memory, at one point of a batch. */
export interface BatchRow extends RowHead {
  /** Values as stored, including those of removed columns. */
  readonly values: SlotValues;
  readonly hashes: UniqueHashes;
}

/** Returns a slot's own value. A slot can have the name of an inherited object property. */
const valueAt = (values: SlotValues, slot: string): JsonValue | undefined =>
  Object.hasOwn(values, slot) ? values[slot] : undefined;

/** Returns whether two JSON values are equal, regardless of the order of object members. */
function isSameJson(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    const others = b as readonly JsonValue[];
    return (a as readonly JsonValue[]).every((item, index) => isSameJson(item, others[index]));
  }
  const [x, y] = [a as SlotValues, b as SlotValues];
  const keys = Object.keys(x);
  return (
    keys.length === Object.keys(y).length &&
    keys.every((key) => Object.hasOwn(y, key) && isSameJson(x[key], y[key]))
  );
}

/** Returns the slots of visible columns whose values differ. */
export function changedSlots(schema: DatagridSchema, a: SlotValues, b: SlotValues): string[] {
  const slots: string[] = [];
  for (const { slot } of schema.columns.values()) {
    const [x, y] = [valueAt(a, slot), valueAt(b, slot)];
    if (x !== y && !isSameJson(x, y)) slots.push(slot);
  }
  return slots;
}

/** Returns the row as JSON text, in the form of an API response. */
export function printBatchRow(schema: DatagridSchema, row: BatchRow): string {
  const values: Record<string, JsonValue> = {};
  for (const { key, slot } of schema.columns.values()) {
    const value = valueAt(row.values, slot);
    if (value !== undefined) values[key] = value;
  }
  return printRow(row, JSON.stringify(values));
}
