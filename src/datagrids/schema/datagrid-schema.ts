import type { ColumnRecord } from '../column/column-record';
import type { ValueCheck } from '../column-type/checked';
import { valueCheckFor } from '../column-type/value-check';

/** A column made ready for checking values. */
export interface SchemaColumn extends ColumnRecord {
  readonly check: ValueCheck;
}

/** The columns of a datagrid at one version, ready for checking rows. */
export interface DatagridSchema {
  readonly datagridId: string;
  /** A write names it, and is refused where the columns have changed since. */
  readonly version: number;
  /** Differs wherever the columns do, also where rows are checked alike. */
  readonly state: string;
  readonly columns: ReadonlyMap<string, SchemaColumn>;
  readonly required: readonly SchemaColumn[];
  readonly unique: readonly SchemaColumn[];
  /** Those that an index is kept of, complete or not. */
  readonly indexed: readonly SchemaColumn[];
  /** Whether values stand under the columns' keys: what is stored is what is shown. */
  readonly isPlain: boolean;
}

export function datagridSchema(
  datagridId: string,
  { version, state }: Pick<DatagridSchema, 'version' | 'state'>,
  records: readonly ColumnRecord[],
): DatagridSchema {
  const columns = records.map((column) => ({
    ...column,
    check: valueCheckFor(column.type, column.options),
  }));
  return {
    datagridId,
    version,
    state,
    columns: new Map(columns.map((column) => [column.key, column])),
    required: columns.filter((column) => column.required),
    unique: columns.filter((column) => column.unique),
    indexed: columns.filter((column) => column.indexedTo !== null),
    isPlain: columns.every(({ key, slot }) => key === slot),
  };
}
