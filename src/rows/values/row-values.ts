import { AppError, invalidRequest } from '../../common/error/app-error';
import type { FieldError } from '../../common/error/field-error';
import type { DatagridSchema } from '../../datagrids/schema/datagrid-schema';
import type { RowValues } from './row-body';
import { checkValues, type CheckedValues } from './value-check';

/**
 * Checks rows that will hold just these values.
 * @throws AppError `invalid_request` naming the places, `payload_too_large` for a row.
 */
export function checkWholeRows(
  schema: DatagridSchema,
  rows: readonly RowValues[],
): CheckedValues[] {
  return checkRows(schema, rows, true);
}

/** Checks values that will be merged into a row. @throws as `checkWholeRows` */
export function checkPartialRow(schema: DatagridSchema, row: RowValues): CheckedValues {
  const [checked] = checkRows(schema, [row], false);
  if (!checked) throw new Error('One row was checked, none came back.');
  return checked;
}

function checkRows(
  schema: DatagridSchema,
  rows: readonly RowValues[],
  areWhole: boolean,
): CheckedValues[] {
  const problems: FieldError[] = [];
  const checked = rows.map(({ values, path }) =>
    checkValues(schema, values, path, areWhole, problems),
  );
  refuseProblems(problems);
  return checked;
}

/** @throws AppError `invalid_request` naming the places, where there are any. */
export function refuseProblems(problems: readonly FieldError[]): void {
  if (problems.length > 0) throw invalidRequest(problems);
}

/** @throws AppError `payload_too_large` where a row's values are longer than a row may be. */
export function refuseLargeRow(bytes: number, limit: number, field: string): void {
  if (bytes <= limit) return;
  const message = `has ${String(bytes)} bytes of values; a row may have ${String(limit)}`;
  throw new AppError('payload_too_large', `${field}: ${message}`, {
    details: [{ field, code: 'too_large', message }],
  });
}
