import { AppError, invalidRequest } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { rowBytes } from '../values/row-bytes';
import { refuseLargeRow, refuseProblems } from '../values/row-values';
import { checkValues, type CheckedValues } from '../values/value-check';
import { matchedColumns } from './match-on';
import type { Batch, Operation } from './operation';

/** An operation whose values fit the columns. */
export interface PreparedOperation {
  readonly operation: Operation;
  readonly values: CheckedValues;
  /** The values by slot, as JSON text. */
  readonly json: string;
  /** The columns that an upsert knows its row by. */
  readonly matchOn: readonly SchemaColumn[];
}

/** An operation, or why it cannot be done whatever is stored. */
export type Preparation = PreparedOperation | AppError;

/**
 * Checks a call's operations against the columns.
 * @throws AppError `invalid_request` or `payload_too_large` where one fails and all must succeed.
 */
export function prepareBatch(
  schema: DatagridSchema,
  { operations, isAtomic }: Batch,
  rowLimitBytes: number,
): Preparation[] {
  const problems: FieldError[] = [];
  const prepared = operations.map((operation) => {
    const own: FieldError[] = [];
    const preparation = prepareOperation(schema, operation, own);
    // Not spread: they may be more than a call takes.
    for (const problem of own) problems.push(problem);
    return own.length > 0 ? invalidRequest(own) : withinLimit(preparation, rowLimitBytes);
  });
  if (!isAtomic) return prepared;
  // What is wrong with `matchOn` is wrong for each of the rows; once is enough.
  refuseProblems([...new Map(problems.map((problem) => [problem.field, problem])).values()]);
  const failure = prepared.find((each) => each instanceof AppError);
  if (failure) throw failure;
  return prepared;
}

const NO_VALUES: CheckedValues = { bySlot: {}, byKey: {}, cleared: [] };

function prepareOperation(
  schema: DatagridSchema,
  operation: Operation,
  problems: FieldError[],
): PreparedOperation {
  if (operation.op === 'delete') return { operation, values: NO_VALUES, json: '{}', matchOn: [] };
  const { row, op } = operation;
  const isWhole = op === 'create' || op === 'replace';
  const values = checkValues(schema, row.values, row.path, isWhole, problems);
  const matchOn = op === 'upsert' ? matchedColumns(schema, operation, values, problems) : [];
  return { operation, values, json: JSON.stringify(values.bySlot), matchOn };
}

function withinLimit(prepared: PreparedOperation, rowLimitBytes: number): Preparation {
  const { operation, values, json } = prepared;
  if (operation.op === 'delete') return prepared;
  try {
    refuseLargeRow(rowBytes(values.bySlot, json), rowLimitBytes, operation.row.path);
    return prepared;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
