import type { ColumnType } from './column-type';

/** Shapes of the public API. Dates are RFC 3339 in UTC. */

/** What happens to the links to a row that is deleted. */
export type DeletePolicy = 'restrict' | 'clear' | 'cascade';

export interface ColumnOptions {
  readonly choices?: readonly string[];
  /** For links: the datagrid whose rows the values are. For counts: the one whose rows are counted. */
  readonly datagridId?: string;
  readonly onDelete?: DeletePolicy;
  /** First number of a column of numbers that the service assigns. */
  readonly start?: number;
  /** For texts and email addresses: values that differ only in case are equal. */
  readonly ignoreCase?: boolean;
  /** For lookups: key of the link column that they follow. */
  readonly link?: string;
  /** For lookups and counts: key of the column of the other datagrid that they read. */
  readonly column?: string;
  /** True if a column that a lookup or a count reads was removed. */
  readonly broken?: boolean;
}

/** A key that requests may still use. */
export interface PreviousKey {
  readonly key: string;
  readonly expiresAt: string;
}

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly type: ColumnType;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  readonly options: ColumnOptions;
  /** Value of a row that is created without one. Absent if there is none. */
  readonly defaultValue?: JsonValue;
  /** Keys that the column had before, and that requests may still use. Absent if there are none. */
  readonly previousKeys?: readonly PreviousKey[];
  /** Set by the console for lookups: the column that it reads, once that is known. */
  readonly source?: Column;
  /** Set while the index is being built. `progress` is from 0 to 1. */
  readonly indexing?: { readonly progress: number };
}

export interface Datagrid {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  /** True if earlier versions of rows are kept. */
  readonly history: boolean;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A datagrid in a list, without its columns. */
export interface ListedDatagrid extends Omit<Datagrid, 'columns'> {
  readonly columnCount: number;
}

/** A JSON value. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

export interface Row {
  readonly id: number;
  /** By column key; a column without a value is absent. */
  readonly values: Readonly<Record<string, JsonValue>>;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}
