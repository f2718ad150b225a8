import type { JsonValue } from '../../common/json/json-value';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';

export type SlotValues = Readonly<Record<string, JsonValue>>;

/** Hashes of a row's values in unique columns, by column id. */
export type UniqueHashes = ReadonlyMap<number, string>;

/** A row in memory, at one point of a batch. */
export interface BatchRow {
  readonly id: number;
  /** Values as stored, including those of removed columns. */
  readonly values: SlotValues;
  readonly hashes: UniqueHashes;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Returns a slot's own value. A slot can have the name of an inherited object property. */
const valueAt = (values: SlotValues, slot: string): JsonValue | undefined =>
  Object.hasOwn(values, slot) ? values[slot] : undefined;

/** Whether two JSON values are equal, regardless of the order of object members. */
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
  const { id, revision, createdAt, updatedAt } = row;
  const values: Record<string, JsonValue> = {};
  for (const { key, slot } of schema.columns.values()) {
    const value = valueAt(row.values, slot);
    if (value !== undefined) values[key] = value;
  }
  return JSON.stringify({ id, values, revision, createdAt, updatedAt });
}
