/** Shapes of the public API. Dates are RFC 3339 in UTC. */

export const COLUMN_TYPES = [
  'text',
  'integer',
  'number',
  'decimal',
  'boolean',
  'date',
  'datetime',
  'select',
  'multiSelect',
  'email',
  'url',
  'json',
] as const;

export type ColumnType = (typeof COLUMN_TYPES)[number];

export interface Column {
  readonly key: string;
  readonly title: string;
  readonly type: ColumnType;
  readonly required: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  readonly options: { readonly choices?: readonly string[] };
  /** While its index is being built; `progress` is from 0 to 1. */
  readonly indexing?: { readonly progress: number };
}

export interface Datagrid {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly description: string;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly revision: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A datagrid in a list that leaves columns out. */
export interface ListedDatagrid extends Omit<Datagrid, 'columns'> {
  readonly columnCount: number;
}

/** A value as JSON has it. */
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

export const hasChoices = (type: ColumnType): boolean =>
  type === 'select' || type === 'multiSelect';

export const isNumeric = (type: ColumnType): boolean =>
  type === 'integer' || type === 'number' || type === 'decimal';
