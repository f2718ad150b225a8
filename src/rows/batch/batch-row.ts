import type { JsonValue } from '../../common/json/json-value';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';

export type SlotValues = Readonly<Record<string, JsonValue>>;

/** Hashes of a row's values in unique columns, by the column's id. */
export type UniqueHashes = ReadonlyMap<number, string>;

/** A row as a batch sees it at some moment. */
export interface BatchRow {
  readonly id: number;
  /** As stored, values of removed columns among them. */
  readonly values: SlotValues;
  readonly hashes: UniqueHashes;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A slot's own value: slots may have the names of what every object inherits. */
const valueAt = (values: SlotValues, slot: string): JsonValue | undefined =>
  Object.hasOwn(values, slot) ? values[slot] : undefined;

/** Whether two values are the same, in whatever order their members stand. */
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

/** The slots whose values differ for readers. */
export function changedSlots(schema: DatagridSchema, a: SlotValues, b: SlotValues): string[] {
  const slots: string[] = [];
  for (const { slot } of schema.columns.values()) {
    const [x, y] = [valueAt(a, slot), valueAt(b, slot)];
    if (x !== y && !isSameJson(x, y)) slots.push(slot);
  }
  return slots;
}

/** The row as the API gives it. */
export function printBatchRow(schema: DatagridSchema, row: BatchRow): string {
  const { id, revision, createdAt, updatedAt } = row;
  const values: Record<string, JsonValue> = {};
  for (const { key, slot } of schema.columns.values()) {
    const value = valueAt(row.values, slot);
    if (value !== undefined) values[key] = value;
  }
  return JSON.stringify({ id, values, revision, createdAt, updatedAt });
}
