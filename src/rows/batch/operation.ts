import type { WriteResponse } from '../../common/envelope/write-response';
import { AppError, conflict, type FieldError, invalidRequest } from '../../common/error/app-error';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import type { RowValues } from '../values/row-values';
import { type BatchRow, printBatchRow } from './batch-state';

interface Located {
  /** Path of the operation in the body, such as `operations.3`. */
  readonly path: string;
}

interface Guarded {
  /** Revision that the row must have; undefined if any revision is accepted. */
  readonly ifRevision: number | undefined;
}

export interface CreateOperation extends Located {
  readonly op: 'create';
  readonly row: RowValues;
}

export interface ChangeOperation extends Located, Guarded {
  /** `update` merges the values into the row; `replace` removes all other values. */
  readonly op: 'update' | 'replace';
  readonly id: number;
  readonly row: RowValues;
}

export interface DeleteOperation extends Located, Guarded {
  readonly op: 'delete';
  readonly id: number;
}

export interface UpsertOperation extends Located, Guarded {
  readonly op: 'upsert';
  readonly row: RowValues;
  /** Keys of the columns that identify an existing row. */
  readonly matchOn: readonly string[];
  /** Path of `matchOn` in the body. */
  readonly matchOnPath: string;
}

/** One change to one row. Its syntax is checked, but not yet its values against the columns. */
export type Operation = CreateOperation | ChangeOperation | DeleteOperation | UpsertOperation;

/** Operations and options of one batch or upsert request. */
export interface Batch {
  /** Body property that holds the operations. */
  readonly list: 'operations' | 'rows';
  /** Whether one failed operation fails the whole request. */
  readonly isAtomic: boolean;
  /** Whether to return the results without changing anything. */
  readonly isDryRun: boolean;
  /** Whether to reject a second upsert of the same row. */
  readonly rejectsRepeats: boolean;
  readonly operations: readonly Operation[];
}

/** Result of an operation that succeeded. */
export interface OperationResult {
  readonly status: 'created' | 'updated' | 'unchanged' | 'deleted';
  readonly id: number;
  /** Row after the operation; absent if the row was deleted. */
  readonly row?: BatchRow;
}

/** Results of a request, as JSON text. */
export interface BatchOutcome {
  readonly results: string;
  /** Revision of the datagrid after the request. */
  readonly revision: number;
}

/**
 * Prints results as JSON arrays, before the commit. Printing stops at the first result that makes
 * the text longer than `maxBytes`, regardless of the size of the rows. Room for the response is
 * reserved.
 */
export class ResultPrinter {
  private bytes = 0;
  /** Text of each row, so that a row that many operations leave unchanged is printed once. */
  private readonly printed = new Map<BatchRow, string>();

  constructor(
    private readonly schema: DatagridSchema,
    private readonly maxBytes: number,
    private readonly response: WriteResponse,
  ) {}

  /**
   * Returns the results as a JSON array.
   * @param list Body property that holds the operations.
   * @throws AppError `payload_too_large`
   */
  async print(
    accountId: string,
    results: readonly (OperationResult | AppError)[],
    list: string,
  ): Promise<string> {
    const printed = await mapInSlices(accountId, results, (result) => {
      const text = result instanceof AppError ? printFailure(result) : this.printResult(result);
      this.bytes += Buffer.byteLength(text) + 1;
      if (this.bytes > this.maxBytes) throw resultsTooLarge(list, this.maxBytes);
      this.response.reserve(this.bytes);
      return text;
    });
    return `[${printed.join(',')}]`;
  }

  private printResult({ status, id, row }: OperationResult): string {
    const head = `{"status":"${status}","id":${String(id)}`;
    if (!row) return `${head}}`;
    if (this.response.isMinimal) return `${head},"revision":${String(row.revision)}}`;
    let json = this.printed.get(row);
    if (json === undefined) {
      json = printBatchRow(this.schema, row);
      this.printed.set(row, json);
    }
    return `${head},"row":${json}}`;
  }
}

function printFailure({ code, message, details }: AppError): string {
  const error = { code, message, ...(details.length > 0 && { details }) };
  return JSON.stringify({ status: 'error', error });
}

/** Returns the 413 error for results that exceed `maxBytes`. */
export function resultsTooLarge(list: string, maxBytes: number): AppError {
  const message = `would return more than ${String(maxBytes)} bytes; send Prefer: return=minimal, or fewer ${list}`;
  return new AppError('payload_too_large', `${list}: ${message}`, {
    details: [{ field: list, code: 'too_large', message }],
  });
}

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
  const details = values.map(({ column, rowId }): FieldError => {
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
  const details = found.map(({ column, rowId }): FieldError => {
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
