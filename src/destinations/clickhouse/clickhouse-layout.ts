import { DestinationError, isTargetType, type TargetColumn } from '../destination';
import type { StoredColumn } from './clickhouse-sql';
import { unexpected } from './clickhouse-values';

/** Where the rows of a table are. */
export interface Layout {
  /** Table with the rows that readers see; `null` before the first load. */
  readonly data: string | null;
  readonly columns: readonly StoredColumn[];
  /** Rows of a later epoch replace those of an earlier one, whatever their revisions. */
  readonly epoch: number;
  /** A load in progress. */
  readonly load: { readonly table: string; readonly columns: readonly StoredColumn[] } | null;
  /** Position at which the view was defined, in hexadecimal. */
  readonly view: string | null;
  /** Whether the view may still be the former one. */
  readonly isPending: boolean;
}

export const NO_LAYOUT: Layout = {
  data: null,
  columns: [],
  epoch: 0,
  load: null,
  view: null,
  isPending: false,
};

const TABLE = /^_datagrid_[0-9a-f]{32}_[0-9a-f]{32}$/;
const COLUMN = /^c\d{1,16}(_[0-9a-f]{32})?$/;

/** Reads a stored layout. @throws DestinationError if the service did not store it. */
export function layoutOf(text: string): Layout {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unexpected();
  }
  if (!isLayout(value)) throw unexpected();
  return value;
}

type Unknown<T> = Partial<Record<keyof T, unknown>>;

function isLayout(value: unknown): value is Layout {
  if (typeof value !== 'object' || value === null) return false;
  const { data, columns, epoch, load, view, isPending } = value as Unknown<Layout>;
  return (
    (data === null || matches(data, TABLE)) &&
    areColumns(columns) &&
    Number.isInteger(epoch) &&
    Number(epoch) >= 0 &&
    (load === null || isLoad(load)) &&
    (view === null || matches(view, /^[0-9a-f]{32}$/)) &&
    typeof isPending === 'boolean'
  );
}

function isLoad(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { table, columns } = value as Unknown<NonNullable<Layout['load']>>;
  return matches(table, TABLE) && areColumns(columns);
}

const areColumns = (value: unknown): boolean => Array.isArray(value) && value.every(isColumn);

function isColumn(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, type, stored } = value as Unknown<StoredColumn>;
  return (
    Number.isSafeInteger(id) &&
    typeof name === 'string' &&
    isTargetType(type) &&
    matches(stored, COLUMN)
  );
}

const matches = (value: unknown, pattern: RegExp): boolean =>
  typeof value === 'string' && pattern.test(value);

/** Returns where a table has columns. @throws DestinationError if it lacks one. */
export function storedOf(
  columns: readonly TargetColumn[],
  stored: readonly StoredColumn[],
): StoredColumn[] {
  return columns.map((column) => {
    const found = stored.find(({ id, type }) => id === column.id && type === column.type);
    if (found) return found;
    throw new DestinationError('inconsistent', 'A column does not exist anymore.');
  });
}
