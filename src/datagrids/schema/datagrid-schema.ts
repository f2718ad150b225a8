import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from '../../common/json/token-reader';
import type { ColumnRecord } from '../column/column-record';
import { isAccepted } from '../column/previous-key';
import {
  COLUMN_TYPES,
  isComputed,
  isLink,
  isReadOnly,
  valueCheckFor,
} from '../column-type/column-type';
import type { ColumnOptions, ValueCheck } from '../column-type/descriptor';

/** A column with its value check. */
export interface SchemaColumn extends ColumnRecord {
  readonly check: ValueCheck;
  /** Whether the service sets the values. */
  readonly isReadOnly: boolean;
}

/** A column of numbers that the service assigns: those of the ids of the rows, plus `numberOffset`. */
export interface NumberColumn extends SchemaColumn {
  readonly numberOffset: number;
}

/** The columns whose values the service sets. */
export interface ReadOnlyColumns {
  readonly numbers: readonly NumberColumn[];
  readonly createdBy: readonly SchemaColumn[];
  readonly updatedBy: readonly SchemaColumn[];
  /** Maximum size of the values of a row in these columns, in bytes. */
  readonly maxBytes: number;
}

/** A column with a default value. */
export interface DefaultedColumn extends SchemaColumn {
  readonly defaultValue: JsonValue;
}

/** A column whose values are ids of rows. */
export interface LinkColumn extends SchemaColumn {
  readonly options: ColumnOptions & Required<Pick<ColumnOptions, 'datagridId' | 'onDelete'>>;
}

/** The columns of a datagrid at one version, prepared for checking rows. */
export interface DatagridSchema {
  readonly datagridId: string;
  /** A write passes this version, and is rejected if the version has changed since. */
  readonly version: number;
  /** Changes whenever the columns change, even if the checks of rows stay the same. */
  readonly state: string;
  /** Columns whose values are stored, by key. */
  readonly columns: ReadonlyMap<string, SchemaColumn>;
  /** Columns by the keys that they had before. Use `findColumn`, which checks their expiry. */
  readonly previous: ReadonlyMap<string, SchemaColumn>;
  /** Columns whose values are computed when rows are read, by key. */
  readonly computed: ReadonlyMap<string, SchemaColumn>;
  /** Stored and computed columns, in order. */
  readonly shown: readonly SchemaColumn[];
  readonly required: readonly SchemaColumn[];
  /** Columns with a default value. */
  readonly defaulted: readonly DefaultedColumn[];
  readonly unique: readonly SchemaColumn[];
  /** Columns with an index, complete or not. */
  readonly indexed: readonly SchemaColumn[];
  /** Columns whose values the service sets; `null` if there are none. */
  readonly readOnly: ReadOnlyColumns | null;
  /** Columns that link to rows. */
  readonly links: readonly LinkColumn[];
  /**
   * Datagrids that link to rows of this one, or did, in ascending order. Can include this one. Rows are
   * deleted under the locks of all of them.
   */
  readonly linkedBy: readonly string[];
  /**
   * Whether all values are stored under the columns' keys, so that they can be returned as stored.
   */
  readonly isPlain: boolean;
  /** Whether a write stores the earlier versions of the rows that it updates or deletes. */
  readonly keepsHistory: boolean;
}

/** A datagrid's schema apart from its columns. */
interface SchemaHead extends Pick<DatagridSchema, 'version' | 'state'> {
  readonly history?: boolean;
  readonly linkedBy?: readonly string[] | null;
}

export function datagridSchema(
  datagridId: string,
  { version, state, history = false, linkedBy = null }: SchemaHead,
  records: readonly ColumnRecord[],
): DatagridSchema {
  const shown = records.map((column) => ({
    ...column,
    check: valueCheckFor(column.type, column.options),
    isReadOnly: isReadOnly(column.type),
  }));
  const computed = shown.filter(({ type }) => isComputed(type));
  const columns = computed.length === 0 ? shown : shown.filter(({ type }) => !isComputed(type));
  return {
    datagridId,
    version,
    state,
    columns: new Map(columns.map((column) => [column.key, column])),
    previous: columnsByPreviousKey(columns),
    computed: new Map(computed.map((column) => [column.key, column])),
    shown,
    required: columns.filter((column) => column.required),
    defaulted: columns.filter((column): column is DefaultedColumn => column.defaultValue !== null),
    unique: columns.filter((column) => column.unique),
    indexed: columns.filter((column) => column.indexedTo !== null),
    readOnly: readOnlyColumns(columns),
    links: columns.filter(isLinkColumn),
    linkedBy: linkedBy ?? [],
    keepsHistory: history,
    isPlain: columns.every(({ key, slot }) => key === slot),
  };
}

/** An expired key can be a previous key of several columns. The one that expires last counts. */
function columnsByPreviousKey(columns: readonly SchemaColumn[]): Map<string, SchemaColumn> {
  const entries = columns.flatMap((column) =>
    column.previousKeys.map(({ key, expiresAt }) => ({ key, expiresAt, column })),
  );
  const ordered = entries.sort((a, b) => Date.parse(a.expiresAt) - Date.parse(b.expiresAt));
  return new Map(ordered.map(({ key, column }) => [key, column]));
}

/** Returns the column with a key, or with one that it had before and that requests may still use. */
export function findColumn(
  { columns, previous }: Pick<DatagridSchema, 'columns' | 'previous'>,
  key: string,
): SchemaColumn | undefined {
  const column = columns.get(key);
  if (column !== undefined || previous.size === 0) return column;
  const renamed = previous.get(key);
  const isFound = renamed?.previousKeys.some((each) => each.key === key && isAccepted(each));
  return isFound === true ? renamed : undefined;
}

/** The same, with computed columns. */
export function findShownColumn(
  schema: Pick<DatagridSchema, 'columns' | 'previous' | 'computed'>,
  key: string,
): SchemaColumn | undefined {
  return findColumn(schema, key) ?? schema.computed.get(key);
}

/**
 * Returns the key under which the values name a column: its own, or a previous one that requests may
 * still use. Another column can have a key that has expired.
 */
export function namedKey(
  values: Readonly<Record<string, unknown>>,
  { key, previousKeys }: SchemaColumn,
): string | undefined {
  if (Object.hasOwn(values, key)) return key;
  if (previousKeys.length === 0) return undefined;
  return previousKeys.find(
    (previous) => Object.hasOwn(values, previous.key) && isAccepted(previous),
  )?.key;
}

function isLinkColumn(column: SchemaColumn): column is LinkColumn {
  return isLink(column.type);
}

/** Quotes of the name and of the value, a colon and a comma. */
const BYTES_AROUND_VALUE = 6;

/** Returns the columns of a datagrid whose values the service sets; `null` if there are none. */
export function readOnlyColumns(columns: readonly SchemaColumn[]): ReadOnlyColumns | null {
  const own = columns.filter((column) => column.isReadOnly);
  if (own.length === 0) return null;
  const sourceOf = ({ type }: SchemaColumn): unknown => COLUMN_TYPES[type].source;
  return {
    numbers: own.filter(
      (column): column is NumberColumn => typeof column.numberOffset === 'number',
    ),
    createdBy: own.filter((column) => sourceOf(column) === 'creator'),
    updatedBy: own.filter((column) => sourceOf(column) === 'updater'),
    maxBytes: own.reduce((total, { slot, type, options }) => {
      const valueBytes = COLUMN_TYPES[type].maxBytes(options) ?? 0;
      return total + slot.length + valueBytes + BYTES_AROUND_VALUE;
    }, 0),
  };
}

/** Returns whether values that were checked for column `a` are valid for column `b`. */
export function isSameColumn(a: SchemaColumn, b: SchemaColumn): boolean {
  const isAlike = a.id === b.id && a.slot === b.slot && a.type === b.type;
  return isAlike && isDeepStrictEqual(a.options, b.options);
}
