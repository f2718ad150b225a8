import { CommanderError } from 'commander';
import { AppError } from '../common/error/app-error';
import { ConfigError } from '../platform/config/app-config';
import { SchemaError } from '../platform/database/schema-state';
import { failureText, isExplained } from '../platform/process/operator-error';

/** Result of a command. */
export interface Outcome {
  /** The object that `--json` prints. */
  readonly json: object;
  /** The same result as text for people. */
  readonly text: string;
  /** Whether the exit code reports a failure. */
  readonly hasFailed?: boolean;
}

export function reportOutcome({ json, text, hasFailed }: Outcome, asJson: boolean): void {
  process.stdout.write(`${asJson ? JSON.stringify(json) : text}\n`);
  if (hasFailed === true) process.exitCode = 1;
}

/**
 * Reports a failure on standard error, and with `--json` also as one JSON object on standard
 * output.
 * @returns the exit code.
 */
export function reportFailure(error: unknown, asJson: boolean): number {
  if (error instanceof CommanderError && error.exitCode === 0) return 0;
  // Commander has already printed usage errors, together with the usage help.
  const isTold = error instanceof CommanderError;
  const message = isTold ? callProblem(error) : failureText(error);
  if (!isTold) process.stderr.write(`error: ${message}\n`);
  if (!isExplained(error) && !isTold) process.stderr.write(`${stackOf(error)}\n`);
  if (asJson) {
    process.stdout.write(`${JSON.stringify({ error: { code: codeOf(error), message } })}\n`);
  }
  return 1;
}

function callProblem({ code, message }: CommanderError): string {
  return code === 'commander.help' ? 'a command is required' : message.replace(/^error: /, '');
}

function codeOf(error: unknown): string {
  if (error instanceof AppError) return error.code;
  if (error instanceof CommanderError || error instanceof ConfigError) return 'invalid_request';
  if (error instanceof SchemaError) return 'conflict';
  return isExplained(error) ? 'unavailable' : 'internal';
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : '';
}

/**
 * Replaces a `not_found` error with one that names the missing object. Services return the same
 * error for everything, because API callers must not learn what exists; an operator may.
 * @param name Kind and id of the object, such as `Account 0193…`.
 */
export async function orMissing<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') throw error;
    throw new AppError('not_found', `${name} not found.`);
  }
}
