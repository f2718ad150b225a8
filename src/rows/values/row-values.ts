import { AppError, invalidRequest, MAX_COUNTED_DETAILS } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { isSurelyLonger, mayExceed, rowBytes } from './row-bytes';
import type { RowValues } from './row-body';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { checkValues, type CheckedValues } from './value-check';

/**
 * Checks rows that will hold just these values, in slices.
 * @throws AppError `invalid_request` naming the places, of very many the first ones.
 */
export async function checkWholeRows(
  accountId: string,
  schema: DatagridSchema,
  rows: readonly RowValues[],
): Promise<CheckedValues[]> {
  const problems: FieldError[] = [];
  const checked = await mapInSlices(accountId, rows, ({ values, path }) => {
    const row = checkValues(schema, values, path, true, problems);
    if (problems.length >= MAX_COUNTED_DETAILS) refuseProblems(problems);
    return row;
  });
  refuseProblems(problems);
  return checked;
}

/** Checks the values of one row. @param isWhole Whether it will hold just these. @throws as `checkWholeRows` */
export function checkRow(
  schema: DatagridSchema,
  { values, path }: RowValues,
  isWhole: boolean,
): CheckedValues {
  const problems: FieldError[] = [];
  const checked = checkValues(schema, values, path, isWhole, problems);
  refuseProblems(problems);
  return checked;
}

/** @throws AppError `invalid_request` naming the places, where there are any. */
export function refuseProblems(problems: readonly FieldError[]): void {
  if (problems.length > 0) throw invalidRequest(problems);
}

/**
 * A row's values as JSON text.
 * @throws AppError `payload_too_large` where it is longer than a row may be.
 */
export function printWithinLimit(
  values: CheckedValues['bySlot'],
  limit: number,
  field: string,
): string {
  if (isSurelyLonger(values, limit)) throw rowTooLarge('more than', limit, limit, field);
  const json = JSON.stringify(values);
  if (mayExceed(json, limit)) refuseLargeRow(rowBytes(values, json), limit, field);
  return json;
}

/** @throws AppError `payload_too_large` where a row's values are longer than a row may be. */
export function refuseLargeRow(bytes: number, limit: number, field: string): void {
  if (bytes > limit) throw rowTooLarge('', bytes, limit, field);
}

function rowTooLarge(
  prefix: '' | 'more than',
  bytes: number,
  limit: number,
  field: string,
): AppError {
  const size = prefix === '' ? String(bytes) : `${prefix} ${String(bytes)}`;
  const message = `has ${size} bytes of values; the maximum is ${String(limit)}`;
  return new AppError('payload_too_large', `${field}: ${message}`, {
    details: [{ field, code: 'too_large', message }],
  });
}
