import type { AppError } from '../../common/error/app-error';
import type { ErrorCode } from '../../common/error/error-code';
import type { FieldError } from '../../common/error/field-error';

export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly details?: readonly FieldError[];
    readonly requestId: string;
  };
}

/** Builds the body that all error responses share. */
export function errorBody(
  code: ErrorCode,
  message: string,
  requestId: string,
  details: readonly FieldError[] = [],
): ErrorBody {
  return {
    error: { code, message, ...(details.length > 0 && { details }), requestId },
  };
}

/** Returns the body of an error response as JSON text. */
export function printError({ code, message, details }: AppError, requestId: string): string {
  return JSON.stringify(errorBody(code, message, requestId, details));
}
