import { invalidRequest } from '../../../common/error/app-error';
import type { DatagridSchema, SchemaColumn } from '../../../datagrids/schema/datagrid-schema';
import { isComparable } from '../../../datagrids/column-type/value-class';

export const MAX_SORT_COLUMNS = 4;

export interface SortKey {
  readonly column: SchemaColumn;
  readonly isDescending: boolean;
}

/**
 * Reads a sort such as `-amount,customer`: up to four columns, where a minus means descending. Rows
 * without a value come last in either direction, and ties are ordered by id.
 * @throws AppError `invalid_request`
 */
export function parseSort(schema: DatagridSchema, text: string): SortKey[] {
  // Reads one name more than allowed, so that the rest of a long text costs nothing.
  const names = text.split(',', MAX_SORT_COLUMNS + 1);
  if (names.length > MAX_SORT_COLUMNS) {
    throw refused('too_many', `must not name more than ${String(MAX_SORT_COLUMNS)} columns`);
  }
  const keys = names.map((name) => sortKey(schema, name));
  const repeated = keys.find(
    ({ column }, index) => keys.findIndex((other) => other.column.id === column.id) < index,
  );
  if (repeated) throw refused('duplicate_column', `must not name ${repeated.column.key} twice`);
  return keys;
}

function sortKey(schema: DatagridSchema, name: string): SortKey {
  const isDescending = name.startsWith('-');
  const key = isDescending ? name.slice(1) : name;
  const column = schema.columns.get(key);
  if (!column) {
    throw refused('unknown_column', `unknown column ${JSON.stringify(key.slice(0, 63))}`);
  }
  if (!isComparable(column.type)) {
    throw refused(
      'incompatible_parameters',
      `cannot sort by ${key}, a column of type ${column.type}`,
    );
  }
  return { column, isDescending };
}

function refused(code: string, message: string): Error {
  return invalidRequest([{ field: 'sort', code, message }]);
}
