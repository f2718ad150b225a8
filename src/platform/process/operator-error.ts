import { AppError } from '../../common/error/app-error';
import { ConfigError } from '../config/app-config';
import { isConnectionFailure, isUnavailable } from '../database/database-error';
import { SchemaError } from '../database/schema-state';

/** Error whose message explains the failure to the operator. Its stack adds nothing. */
export class OperatorError extends Error {}

/** Returns whether `failureText` explains the error: it has an external cause and is not a bug. */
export function isExplained(error: unknown): boolean {
  const isOurs = [OperatorError, ConfigError, SchemaError, AppError].some(
    (kind) => error instanceof kind,
  );
  return isOurs || isUnavailable(error) || isUnreachable(error);
}

/** Returns the text of an error for the operator: usually one line, and never a secret. */
export function failureText(error: unknown): string {
  const message = messageOf(error);
  if (!isUnreachable(error)) return message;
  return `Cannot reach the database: ${message}. Check DATABASE_URL.`;
}

function isUnreachable(error: unknown): boolean {
  const { syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return isConnectionFailure(error) || syscall === 'connect' || syscall === 'getaddrinfo';
}

/** Returns the message. Node throws one error without a message if several addresses fail. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
