import { AppError, invalidRequest, MAX_COUNTED_DETAILS } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import { isSurelyLonger, mayExceed, rowBytes } from './row-bytes';
import type { RowValues } from './row-body';
import { mapInSlices } from '../../platform/fairness/event-loop-turns';
import { checkValues, type CheckedValues } from './value-check';

/**
 * Checks rows in slices. `rows` contain all values that the rows will have.
 * @throws AppError `invalid_request` with the invalid fields. If there are very many, only the
 *   first are checked.
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

/**
 * Checks the values of one row.
 * @param isWhole Whether these are all values that the row will have.
 * @throws AppError as `checkWholeRows`
 */
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

/**
 * Rejects a request with invalid fields.
 * @throws AppError `invalid_request` with the invalid fields, if there are any.
 */
export function refuseProblems(problems: readonly FieldError[]): void {
  if (problems.length > 0) throw invalidRequest(problems);
}

/**
 * Prints a row's values as JSON.
 * @throws AppError `payload_too_large` if they exceed `limit` bytes.
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

/**
 * Rejects a row that is too large.
 * @throws AppError `payload_too_large` if a row's values exceed `limit` bytes.
 */
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
