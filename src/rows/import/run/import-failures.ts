import { AppError, conflict, invalidRequest } from '../../../common/error/app-error';
import type { FieldError } from '../../../common/error/field-error';
import type { ImportFailure, RefusedLine } from '../job/import-report';

/**
 * Thrown when the import was ended by another request or process: it was cancelled, or its process
 * was presumed dead. The report shows which.
 */
export class ImportEndedError extends Error {}

/** Returns a 400 error, or a 409 error if all lines were rejected only because of stored values. */
export function refusedLines(lines: readonly RefusedLine[], refused: number): AppError {
  const message =
    refused === 1
      ? '1 line was rejected. See the import report.'
      : `${String(refused)} lines were rejected. See the import report.`;
  const details = lines.flatMap(detailsOf);
  const areDuplicates = details.every(({ code }) => STATE_CODES.has(code));
  return areDuplicates ? conflict(message, details) : invalidRequest(details, message);
}

/** Codes of errors that depend on stored values, not on the request alone. */
const STATE_CODES: ReadonlySet<string> = new Set(['duplicate', 'ambiguous_match']);

function detailsOf({ line, details }: RefusedLine): FieldError[] {
  return details.map(({ field, code, message }) => {
    const place = `lines.${String(line)}`;
    return { field: field === 'line' ? place : `${place}.${field}`, code, message };
  });
}

/**
 * Returns a 409 error: the columns have changed, so lines that were already checked may no longer
 * fit.
 */
export function columnsChanged(): AppError {
  return conflict('Columns of the import changed while it was running.');
}

export const DATABASE_AWAY = 'The database was unavailable while the import was running.';

/** 503: the process that ran the import has ended, or could not reach the database at the end. */
export const PROCESS_ENDED: ImportFailure = {
  code: 'unavailable',
  message: 'The service or its database stopped while the import was running.',
  details: [],
};

export const CANCELLED: ImportFailure = {
  code: 'conflict',
  message: 'The import was cancelled.',
  details: [],
};

/** Restores the order of members. PostgreSQL stores the members of jsonb in its own order. */
export function inOrder(details: readonly FieldError[]): FieldError[] {
  return details.map(({ field, code, message }) => ({ field, code, message }));
}

/** Returns the part of an error that is stored, so that it can be returned again. */
export function failureOf(error: AppError): ImportFailure {
  const { code, message, details } = error;
  return { code, message, details };
}
