import { AppError, conflict, invalidRequest } from '../../common/error/app-error';
import type { SchemaColumn } from '../../datagrids/schema/datagrid-schema';

/** 404 for an operation on a row that is not there. */
export function noSuchRow(path: string): AppError {
  const message = 'is not the id of a row of this datagrid';
  return new AppError('not_found', 'Row not found.', {
    details: [{ field: `${path}.id`, code: 'not_found', message }],
  });
}

/** 412 for a row that has moved on. */
export function otherRevision(path: string, revision: number): AppError {
  const field = `${path}.ifRevision`;
  const message = `does not match the row's revision, which is ${String(revision)}`;
  return new AppError('precondition_failed', `${field}: ${message}`, {
    details: [{ field, code: 'revision_mismatch', message }],
  });
}

/** A value of a unique column that another row has. */
export interface TakenValue {
  readonly column: SchemaColumn;
  /** `null` for a row that the same batch has created. */
  readonly rowId: number | null;
}

/** 409 for values of unique columns that other rows have. */
export function taken(path: string, values: readonly TakenValue[]): AppError {
  const details = values.map(({ column, rowId }) => {
    const holder = rowId === null ? 'an earlier row in this request' : `row ${String(rowId)}`;
    const message = `must be unique, but ${holder} already has this value`;
    return { field: `${path}.${column.key}`, code: 'duplicate', message };
  });
  return conflict('Duplicate value in a unique column.', details);
}

/** 409 for a row that is not the same by every column it should be known by. */
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

/** 400 for a row that is upserted a second time by a call that does so once. */
export function repeatedKey(path: string, key: string, firstPath: string): AppError {
  const message = `is already the key of ${firstPath}; an upsert changes a row once`;
  return invalidRequest([{ field: `${path}.${key}`, code: 'duplicate_row', message }]);
}

/** 400 for a new row without the values that it needs. */
export function missingValues(path: string, columns: readonly SchemaColumn[]): AppError {
  const message = 'must have a value, because no row matches and a new row would be created';
  return invalidRequest(
    columns.map(({ key }) => ({ field: `${path}.${key}`, code: 'required', message })),
  );
}
