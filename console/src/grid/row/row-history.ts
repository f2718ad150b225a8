import { isReadOnly } from '../../datagrids/column-type';
import type { Column, JsonValue, Row } from '../../datagrids/datagrid';
import { titledValue, type TitleSource } from '../cells/links/links-as-text';
import { exactTitle } from '../cells/values/shown-value';
import { isSame } from '../data/changes/change';

/** An entry of the history of a row, as in the public API: one write. */
export interface HistoryEntry {
  readonly revision: number;
  readonly operation: 'created' | 'updated' | 'deleted';
  readonly at: string;
  readonly userId: string | null;
  /** `null` for a write in the console. */
  readonly keyId: string | null;
  /** Values after the write; `null` if it deleted the row, or if they were not stored. */
  readonly values: Row['values'] | null;
  readonly removedColumns: readonly string[];
}

/** A value that a write has changed. */
export interface ChangedValue {
  readonly key: string;
  readonly title: string;
  /** Display texts; empty for no value. `before` is undefined if it is not known. */
  readonly before: string | undefined;
  readonly after: string;
  /** Exact texts of dates. Undefined for other types. */
  readonly exact: string | undefined;
  /** Whether the service sets the value, so that it cannot be restored alone. Absent if it does not. */
  readonly isReadOnly?: true;
  /** The value after the write; `null` for none. */
  readonly value: JsonValue;
}

/**
 * Returns the values that a write has changed; those that the row got if the values before are not
 * known, or if the row did not exist.
 * @param older The entry before; undefined if there is none.
 */
export function changedValues(
  entry: HistoryEntry,
  older: HistoryEntry | undefined,
  columns: readonly Column[],
  titles: TitleSource,
): readonly ChangedValue[] {
  const after = entry.values;
  if (after === null) return [];
  const before = older?.values ?? undefined;
  return columns
    .filter(({ key }) =>
      before === undefined ? after[key] !== undefined : !isSame(before[key], after[key]),
    )
    .map((column) => ({
      key: column.key,
      title: column.title,
      ...(isReadOnly(column.type) && { isReadOnly: true as const }),
      before: before && titledValue(column, before[column.key], titles),
      after: titledValue(column, after[column.key], titles),
      exact: exactTitle(column, before?.[column.key], after[column.key]),
      value: after[column.key] ?? null,
    }));
}

/** Returns whether the row exists after its newest write. */
export function exists(entries: readonly HistoryEntry[]): boolean {
  return entries[0]?.operation !== 'deleted';
}

/**
 * Returns whether a value of an entry can replace the current one: the row exists, and the values
 * differ or the current one is not known.
 */
export function mayRestoreValue(
  entries: readonly HistoryEntry[],
  { key, value, isReadOnly: isSet }: ChangedValue,
): boolean {
  const current = entries[0]?.values;
  return exists(entries) && isSet !== true && (!current || !isSame(current[key], value));
}

/** Returns whether the row can be restored as it was after an entry. */
export function mayRestoreVersion(entries: readonly HistoryEntry[], entry: HistoryEntry): boolean {
  return entry.values !== null && entry !== entries[0];
}
