import { QueryFailedError } from 'typeorm';

interface PostgresFault {
  readonly code?: string;
  readonly constraint?: string;
  readonly message?: string;
}

function faultOf(error: unknown): PostgresFault | undefined {
  if (error instanceof QueryFailedError) return error.driverError as PostgresFault;
  return error instanceof Error ? error : undefined;
}

/** Serialization failure or deadlock: PostgreSQL has undone everything, trying again is safe. */
export function isRetryable(error: unknown): boolean {
  const code = faultOf(error)?.code;
  return code === '40001' || code === '40P01';
}

/** Whether `error` is a second entry in the unique index or constraint of that name. */
export function isDuplicate(error: unknown, constraint: string): boolean {
  const fault = faultOf(error);
  return fault?.code === '23505' && fault.constraint === constraint;
}

/** Whether `error` is a statement that ran out of its time (`statement_timeout`). */
export function isOutOfTime(error: unknown): boolean {
  return faultOf(error)?.code === '57014';
}

/**
 * Whether `error` tells of a text longer than PostgreSQL can make, some 1 GB: beyond a limit of the
 * program (54000), or a request for that much memory, which has no code of its own.
 */
export function isTooLong(error: unknown): boolean {
  const fault = faultOf(error);
  if (fault?.code === '54000') return true;
  const isInternal = fault?.code === 'XX000';
  return isInternal && (fault.message ?? '').startsWith('invalid memory alloc request size');
}

const CONNECTION_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT']);

/** Messages of `pg` and its pool, which carry no code. */
const CONNECTION_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|timeout expired|Driver not Connected/i;

/**
 * Whether the database is away, as told by the class of the fault: connection exceptions (08),
 * an operator's intervention (57P), too many connections (53300), or no SQLSTATE at all
 * because the connection broke.
 */
export function isAway(error: unknown): boolean {
  const fault = faultOf(error);
  if (!fault) return false;
  const code = fault.code ?? '';
  if (/^(08...|57P0[1-5]|53300)$/.test(code) || CONNECTION_CODES.has(code)) return true;
  return code === '' && CONNECTION_MESSAGE.test(fault.message ?? '');
}

/**
 * Whether trying again later may help: the database is away, or another write held a lock for
 * longer than may be waited (55P03).
 */
export function isUnavailable(error: unknown): boolean {
  return isAway(error) || faultOf(error)?.code === '55P03';
}

/** Runs `work`; a second entry in the constraint of that name becomes the given failure. */
export async function onDuplicate<T>(
  constraint: string,
  failure: () => Error,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isDuplicate(error, constraint) ? failure() : error;
  }
}
