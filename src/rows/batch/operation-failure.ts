import { AppError, conflict, invalidRequest } from '../../common/error/app-error';
import type { SchemaColumn } from '../../datagrids/schema/datagrid-schema';

/** Returns the 404 error for an operation on a row that does not exist. */
export function noSuchRow(path: string): AppError {
  const message = 'is not the id of a row of this datagrid';
  return new AppError('not_found', 'Row not found.', {
    details: [{ field: `${path}.id`, code: 'not_found', message }],
  });
}

/** Returns the 412 error for a row whose revision differs from `ifRevision`. */
export function otherRevision(path: string, revision: number): AppError {
  const field = `${path}.ifRevision`;
  const message = `does not match the row's revision, which is ${String(revision)}`;
  return new AppError('precondition_failed', `${field}: ${message}`, {
    details: [{ field, code: 'revision_mismatch', message }],
  });
}

/** A value of a unique column that another row holds. */
export interface TakenValue {
  readonly column: SchemaColumn;
  /** Row that holds the value; `null` if the same batch has created it. */
  readonly rowId: number | null;
}

/** Returns the 409 error for values of unique columns that other rows hold. */
export function taken(path: string, values: readonly TakenValue[]): AppError {
  const details = values.map(({ column, rowId }) => {
    const holder = rowId === null ? 'an earlier row in this request' : `row ${String(rowId)}`;
    const message = `must be unique, but ${holder} already has this value`;
    return { field: `${path}.${column.key}`, code: 'duplicate', message };
  });
  return conflict('Duplicate value in a unique column.', details);
}

/** Returns the 409 error for an upsert whose `matchOn` columns do not all match the same row. */
export function ambiguous(
  path: string,
  found: readonly { readonly column: SchemaColumn; readonly rowId: number }[],
): AppError {
  const details = found.map(({ column, rowId }) => {
    const message = `is the value of row ${String(rowId)}, which does not match in every matchOn column`;
    return { field: `${path}.${column.key}`, code: 'ambiguous_match', message };
  });
  return conflict('No single row matches in every matchOn column.', details);
}

/** Returns the 400 error for a request that upserts the same row twice. */
export function repeatedKey(path: string, key: string, firstPath: string): AppError {
  const message = `is already the key of ${firstPath}; an upsert changes a row once`;
  return invalidRequest([{ field: `${path}.${key}`, code: 'duplicate_row', message }]);
}

/** Returns the 400 error for a new row without values in required columns. */
export function missingValues(path: string, columns: readonly SchemaColumn[]): AppError {
  const message = 'must have a value, because no row matches and a new row would be created';
  return invalidRequest(
    columns.map(({ key }) => ({ field: `${path}.${key}`, code: 'required', message })),
  );
}
