import type { FieldError } from '../../common/error/field-error';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { listOf, refused } from '../values/body-members';
import type { CheckedValues } from '../values/value-check';
import type { UpsertOperation } from './operation';

const MAX_COLUMNS = 4;

/** Reads a list of one to four column keys. @throws AppError `invalid_request` */
export function readMatchOn(json: unknown, path: string): string[] {
  if (json === undefined) throw refused(path, 'required', 'is required');
  return listOf(json, path, MAX_COLUMNS, 'column keys').map((key, index, all) => {
    const field = `${path}.${String(index)}`;
    if (typeof key !== 'string') throw refused(field, 'wrong_type', 'must be a column key');
    if (all.indexOf(key) < index)
      throw refused(field, 'duplicate_column', 'duplicates an earlier column');
    return key;
  });
}

/** Returns the columns that an upsert matches rows by. Adds what is invalid to `problems`. */
export function matchedColumns(
  schema: DatagridSchema,
  { matchOn, matchOnPath, row }: UpsertOperation,
  { bySlot }: CheckedValues,
  problems: FieldError[],
): SchemaColumn[] {
  const refusedFields = new Set(problems.map(({ field }) => field));
  return matchOn.flatMap((key, index) => {
    const column = schema.columns.get(key);
    const place = `${matchOnPath}.${String(index)}`;
    const value = `${row.path}.${key}`;
    if (!column) {
      const message = 'is not a column of this datagrid';
      problems.push({ field: place, code: 'unknown_column', message });
    } else if (!column.unique) {
      problems.push({ field: place, code: 'not_unique', message: 'must be a unique column' });
    } else if (!Object.hasOwn(bySlot, column.slot) && !refusedFields.has(value)) {
      const message = 'must have a value, because rows are matched by this column';
      problems.push({ field: value, code: 'required', message });
    }
    return column ? [column] : [];
  });
}
