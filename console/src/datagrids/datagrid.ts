import type { ColumnType } from './column-type';

/** Shapes of the public API. Dates are RFC 3339 in UTC. */

/** What happens to the links to a row that is deleted. */
export type DeletePolicy = 'restrict' | 'clear' | 'cascade';

export interface ColumnOptions {
  readonly choices?: readonly string[];
  /** For links: the datagrid whose rows the values are. */
  readonly datagridId?: string;
  readonly onDelete?: DeletePolicy;
  /** First number of a column of numbers that the service assigns. */
  readonly start?: number;
  /** Key of the link column that a `lookup` follows. */
  readonly link?: string;
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
  /** True if the service indexes the column because queries often read it. */
  readonly automaticIndex?: boolean;
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
