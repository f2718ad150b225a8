import {
  AppError,
  type FieldError,
  invalidRequest,
  MAX_COUNTED_DETAILS,
} from '../../common/error/app-error';
import type { DatagridSchema, SchemaColumn } from '../../datagrids/schema/datagrid-schema';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import {
  type CheckedValues,
  checkValues,
  printWithinLimit,
  rejectProblems,
  withDefaults,
} from '../values/row-values';
import { matchedColumns } from './batch-body';
import type { UniqueHashes } from './batch-state';
import { type Batch, type Operation, repeatedKey } from './operation';

/** An operation whose values are valid for the columns. */
export interface PreparedOperation {
  readonly operation: Operation;
  readonly values: CheckedValues;
  /** Values by slot, as JSON text. */
  readonly json: string;
  /** Columns that an upsert matches rows by; empty for other operations. */
  readonly matchOn: readonly SchemaColumn[];
}

/** A prepared operation, or the error of one that fails regardless of the stored rows. */
export type Preparation = PreparedOperation | AppError;

/**
 * Checks the operations of a request against the columns. Once `MAX_COUNTED_DETAILS` problems are
 * found, the check of each further operation stops at its first problem.
 * @throws AppError `invalid_request` or `payload_too_large` if an operation of an atomic batch
 *   fails.
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
    if (problems.length >= MAX_COUNTED_DETAILS) rejectProblems(unrepeated(problems));
    return own.length > 0 ? invalidRequest(own) : preparation;
  });
  if (!isAtomic) return prepared;
  // A problem with `matchOn` applies to every row, so it is reported once.
  rejectProblems(unrepeated(problems));
  const failure = prepared.find((each) => each instanceof AppError);
  if (failure) throw failure;
  return prepared;
}

const NO_VALUES: CheckedValues = { bySlot: {}, byKey: {}, cleared: [] };

/** Returns the problems, and only the last one for each field. */
function unrepeated(problems: readonly FieldError[]): FieldError[] {
  return [...new Map(problems.map((problem) => [problem.field, problem])).values()];
}

const USES = { create: 'new', update: 'merge', replace: 'replacement', upsert: 'merge' } as const;

/** Checks one operation against the columns. Adds what is invalid to `problems`. */
function prepareOperation(
  schema: DatagridSchema,
  operation: Operation,
  problems: FieldError[],
  { maxRowBytes, maxProblems }: { maxRowBytes: number; maxProblems: number },
): Preparation {
  if (operation.op === 'delete') return { operation, values: NO_VALUES, json: '{}', matchOn: [] };
  const { op } = operation;
  const row = op === 'create' ? withDefaults(schema, operation.row) : operation.row;
  const values = checkValues(schema, row.values, row.path, USES[op], problems, maxProblems);
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

/**
 * Rejects a request that upserts the same row twice, because the intended values are ambiguous.
 * @throws AppError `invalid_request` with the path of the second upsert.
 */
export function rejectRepeats(
  prepared: readonly Preparation[],
  hashes: readonly UniqueHashes[],
): void {
  const seen = new Map<string, string>();
  prepared.forEach((each, index) => {
    if (each instanceof AppError || each.operation.op !== 'upsert') return;
    const { path, row } = each.operation;
    const key = each.matchOn.map(({ id }) => hashes[index]?.get(id)).join(' ');
    const first = seen.get(key);
    if (first !== undefined) throw repeatedKey(row.path, each.matchOn[0]?.key ?? '', first);
    seen.set(key, path);
  });
}
