import { AppError } from '../../common/error/app-error';
import { ConfigError } from '../config/app-config';
import { isConnectionFailure, isUnavailable } from '../database/database-error';
import { SchemaError } from '../database/schema-state';

/** A failure that its message explains to whoever runs the service; the stack adds nothing. */
export class OperatorError extends Error {}

/** Whether the failure is one of circumstances, which `failureText` explains, and no fault of ours. */
export function isExplained(error: unknown): boolean {
  const isOurs = [OperatorError, ConfigError, SchemaError, AppError].some(
    (kind) => error instanceof kind,
  );
  return isOurs || isUnavailable(error) || isUnreachable(error);
}

/** What to tell an operator: one line in most cases, and nothing secret. */
export function failureText(error: unknown): string {
  const message = messageOf(error);
  if (!isUnreachable(error)) return message;
  return `The database cannot be reached: ${message}. Check DATABASE_URL.`;
}

function isUnreachable(error: unknown): boolean {
  const { syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return isConnectionFailure(error) || syscall === 'connect' || syscall === 'getaddrinfo';
}

/** Several addresses that were tried in vain come as one error with no text of its own. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
