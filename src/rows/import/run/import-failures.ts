import { AppError, conflict, invalidRequest } from '../../../common/error/app-error';
import type { FieldError } from '../../../common/error/field-error';
import type { ImportFailure, RefusedLine } from '../job/import-report';

/** The import was ended by somebody else: cancelled, or taken for dead. Its report says how. */
export class ImportEndedError extends Error {}

/** 400, or 409 where nothing but stored values conflicts with the lines. */
export function refusedLines(lines: readonly RefusedLine[], refused: number): AppError {
  const message =
    refused === 1
      ? '1 line was rejected. See the import report.'
      : `${String(refused)} lines were rejected. See the import report.`;
  const details = lines.flatMap(detailsOf);
  const areDuplicates = details.every(({ code }) => STATE_CODES.has(code));
  return areDuplicates ? conflict(message, details) : invalidRequest(details, message);
}

/** Details that tell of what is stored, not of what was sent. */
const STATE_CODES: ReadonlySet<string> = new Set(['duplicate', 'ambiguous_match']);

function detailsOf({ line, details }: RefusedLine): FieldError[] {
  return details.map(({ field, code, message }) => {
    const place = `lines.${String(line)}`;
    return { field: field === 'line' ? place : `${place}.${field}`, code, message };
  });
}

/** 409: the columns have changed so that lines that were checked may not fit any more. */
export function columnsChanged(): AppError {
  return conflict('Columns of the import changed while it was running.');
}

export const DATABASE_AWAY = 'The database was unavailable while the import was running.';

/** 503: the process that ran the import is gone, or could not reach the database at its end. */
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

/** As they are to be told: PostgreSQL orders the members of what it keeps in its own way. */
export function inOrder(details: readonly FieldError[]): FieldError[] {
  return details.map(({ field, code, message }) => ({ field, code, message }));
}

/** What is kept of a failure, so that it can be told again. */
export function failureOf(error: AppError): ImportFailure {
  const { code, message, details } = error;
  return { code, message, details };
}
