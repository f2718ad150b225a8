import { AppError, invalidRequest, MAX_COUNTED_DETAILS } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { printWithinLimit, refuseProblems } from '../values/row-values';
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
 * Checks a call's operations against the columns. Once `MAX_COUNTED_DETAILS` places are found, the
 * check of each further operation stops at its first.
 * @throws AppError `invalid_request` or `payload_too_large` where one fails and all must succeed.
 */
export async function prepareBatch(
  accountId: string,
  schema: DatagridSchema,
  { operations, isAtomic }: Batch,
  maxRowBytes: number,
): Promise<Preparation[]> {
  const problems: FieldError[] = [];
  let counted = 0;
  const prepared = await mapInSlices(accountId, operations, (operation) => {
    const own: FieldError[] = [];
    const bounds = { maxRowBytes, maxProblems: Math.max(1, MAX_COUNTED_DETAILS - counted) };
    const preparation = prepareOperation(schema, operation, own, bounds);
    counted += own.length;
    if (isAtomic) problems.push(...own);
    if (problems.length >= MAX_COUNTED_DETAILS) refuseProblems(unrepeated(problems));
    return own.length > 0 ? invalidRequest(own) : preparation;
  });
  if (!isAtomic) return prepared;
  // What is wrong with `matchOn` is wrong for each of the rows; once is enough.
  refuseProblems(unrepeated(problems));
  const failure = prepared.find((each) => each instanceof AppError);
  if (failure) throw failure;
  return prepared;
}

const NO_VALUES: CheckedValues = { bySlot: {}, byKey: {}, cleared: [] };

/** The problems, of several with one place the last. */
function unrepeated(problems: readonly FieldError[]): FieldError[] {
  return [...new Map(problems.map((problem) => [problem.field, problem])).values()];
}

/** What is wrong with the values goes to `problems`. */
function prepareOperation(
  schema: DatagridSchema,
  operation: Operation,
  problems: FieldError[],
  { maxRowBytes, maxProblems }: { maxRowBytes: number; maxProblems: number },
): Preparation {
  if (operation.op === 'delete') return { operation, values: NO_VALUES, json: '{}', matchOn: [] };
  const { row, op } = operation;
  const isWhole = op === 'create' || op === 'replace';
  const values = checkValues(schema, row.values, row.path, isWhole, problems, maxProblems);
  const matchOn = op === 'upsert' ? matchedColumns(schema, operation, values, problems) : [];
  if (problems.length > 0) return { operation, values, json: '', matchOn };
  try {
    const json = printWithinLimit(values.bySlot, maxRowBytes, row.path);
    return { operation, values, json, matchOn };
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
