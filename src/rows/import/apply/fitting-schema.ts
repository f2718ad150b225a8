import { isDeepStrictEqual } from 'node:util';
import type { DatagridSchema, SchemaColumn } from '../../../datagrids/schema/datagrid-schema';

/**
 * Whether lines that were checked against the columns `before` also fit the columns `now`: every
 * used column is unchanged, and no required column has been added.
 */
export function fitsStill(
  used: readonly SchemaColumn[],
  matchOn: readonly string[],
  before: DatagridSchema,
  now: DatagridSchema,
): boolean {
  const areSame = used.every((column) => {
    const other = now.columns.get(column.key);
    const needsUnique = matchOn.includes(column.key);
    return other && isSameColumn(column, other) && (!needsUnique || other.unique);
  });
  const required = new Set(before.required.map(({ id }) => id));
  return areSame && now.required.every(({ id }) => required.has(id));
}

/** Whether values that were checked for column `a` are valid for column `b`. */
export function isSameColumn(a: SchemaColumn, b: SchemaColumn): boolean {
  const isAlike = a.id === b.id && a.slot === b.slot && a.type === b.type;
  return isAlike && isDeepStrictEqual(a.options, b.options);
}
