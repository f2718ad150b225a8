import type { ColumnType } from '../../datagrids/column-type/column-type';
import type { ColumnPlan, TargetColumn, TargetType } from '../../destinations/destination';

/** The type of the target column for each type of column. */
export const TARGET_TYPE_BY_COLUMN_TYPE: Readonly<Record<ColumnType, TargetType>> = {
  text: 'text',
  integer: 'integer',
  number: 'double',
  decimal: 'decimal',
  boolean: 'boolean',
  date: 'date',
  datetime: 'timestamp',
  select: 'text',
  multiSelect: 'json',
  email: 'text',
  url: 'text',
  json: 'json',
  link: 'integer',
  multiLink: 'json',
  // Computed columns have no stored values, and are not synchronized.
  lookup: 'json',
  count: 'integer',
  autonumber: 'integer',
  createdBy: 'text',
  updatedBy: 'text',
};

/** A column of the datagrid that is to be in the target table. */
export interface SourceColumn {
  readonly id: number;
  readonly key: string;
  readonly type: ColumnType;
}

const MAX_NAME_LENGTH = 63;

/**
 * Returns the columns that the target table is to have, in order of the datagrid's columns. A column
 * keeps its name. A new one has the name of its key, with a number if another column has that name.
 * Upper and lower case do not make a difference, because some destinations ignore them.
 */
export function targetColumns(
  columns: readonly SourceColumn[],
  before: readonly TargetColumn[],
): TargetColumn[] {
  const names = new Map(before.map(({ id, name }) => [id, name]));
  const kept = columns.flatMap(({ id }) => names.get(id)?.toLowerCase() ?? []);
  const taken = new Set(kept);
  return columns.map(({ id, key, type }) => {
    const name = names.get(id) ?? freeName(key, taken);
    taken.add(name.toLowerCase());
    return { id, name, type: TARGET_TYPE_BY_COLUMN_TYPE[type] };
  });
}

function freeName(key: string, taken: ReadonlySet<string>): string {
  for (let n = 1; ; n += 1) {
    const suffix = n === 1 ? '' : `_${String(n)}`;
    const name = key.slice(0, MAX_NAME_LENGTH - suffix.length) + suffix;
    if (!taken.has(name.toLowerCase())) return name;
  }
}

/**
 * Returns the change from some columns to others; `null` if there is none. The values of a column
 * whose type changes stay if the new type holds all of them. Otherwise the column is replaced.
 */
export function columnPlan(
  before: readonly TargetColumn[],
  after: readonly TargetColumn[],
): ColumnPlan | null {
  const old = new Map(before.map((column) => [column.id, column]));
  const present = new Map(after.map((column) => [column.id, column]));
  const isChanged = (column: TargetColumn): boolean => {
    const former = old.get(column.id);
    return former !== undefined && former.type !== column.type;
  };
  const widened = after.filter(
    (column) => isChanged(column) && isWider(column.type, old.get(column.id)?.type),
  );
  const replaced = new Set(
    after.filter((column) => isChanged(column) && !widened.includes(column)).map(({ id }) => id),
  );
  const removed = before.filter(({ id }) => !present.has(id) || replaced.has(id));
  const added = after.filter(({ id }) => !old.has(id) || replaced.has(id));
  return removed.length + widened.length + added.length === 0 ? null : { removed, widened, added };
}

function isWider(type: TargetType, former: TargetType | undefined): boolean {
  return type === 'text' || (type === 'double' && former === 'integer');
}
