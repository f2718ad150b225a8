import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';

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

/** As many wait for a connection as may. */
export class QueueFullError extends Error {
  constructor() {
    super('Too many requests are waiting for a database connection.');
  }
}

/**
 * Connection exceptions (08), lack of resources (53), an operator's hand (57P), idle or at it for too
 * long; and what whoever connects is refused by: a role that may not (28), a database that is not
 * there, or is closed (55000).
 */
const AWAY_STATES = /^(08...|28...|3D000|53...|55000|57P0[1-5]|25P0[34])$/;

/** A statement that writes has come to a server that only reads. */
const READ_ONLY_STATE = '25006';

/** Of Node and of the network. */
const AWAY_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOENT'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'],
  // No connection could be begun: of files, ports or memory there are none left here.
  ...['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'],
]);

/** PostgreSQL's certificate is not trusted, or the two speak no common TLS. */
const TLS_CODES =
  /^(ERR_(TLS|SSL)_|CERT_|UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED_CERT|HOSTNAME_MISMATCH|EPROTO)/;

/** Messages of `pg` and its pool, which carry no code. */
const AWAY_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|timeout expired|Driver not Connected|after calling end on the pool|SSL connection|^SASL:/i;

/** Messages of those that did not get as far as a statement. */
const NO_STATEMENT_MESSAGE =
  /trying to connect|connection timeout|timeout expired|Driver not Connected|not queryable|calling end|SSL connection|^SASL:/i;

/**
 * Whether the database is away, as told by the class of the fault, or no SQLSTATE at all because
 * the connection broke. TypeORM gives a transaction's connection back once it has broken, and then
 * says of the next statement that this was done.
 */
export function isAway(error: unknown): boolean {
  if (error instanceof QueueFullError || error instanceof QueryRunnerAlreadyReleasedError) {
    return true;
  }
  const fault = faultOf(error);
  if (!fault) return false;
  const code = fault.code ?? '';
  if (AWAY_STATES.test(code) || AWAY_CODES.has(code) || TLS_CODES.test(code)) return true;
  return code === '' && AWAY_MESSAGE.test(fault.message ?? '');
}

/**
 * Whether the connection broke while a statement was in progress. Where that was one that commits
 * nobody knows whether it did; it must not be repeated. Where PostgreSQL itself has said why it has
 * undone the statement.
 */
export function isLost(error: unknown): boolean {
  if (!isAway(error) || error instanceof QueueFullError) return false;
  if (error instanceof QueryRunnerAlreadyReleasedError) return false;
  const { code = '', message, syscall } = faultOf(error) as NodeJS.ErrnoException;
  if (code === '') return !NO_STATEMENT_MESSAGE.test(message);
  return AWAY_CODES.has(code) && syscall !== 'connect' && syscall !== 'getaddrinfo';
}

/**
 * Whether another write held a lock for longer than may be waited: nothing was done, and the
 * database is there.
 */
export function isLockedOut(error: unknown): boolean {
  return faultOf(error)?.code === '55P03';
}

/**
 * Whether a write came to a server that only reads: a primary that has become a replica, or was
 * closed for writes. Nothing was done; another connection may lead to one that writes.
 */
export function isReadOnly(error: unknown): boolean {
  return faultOf(error)?.code === READ_ONLY_STATE;
}

/**
 * Whether trying again later may help: the database is away, or only reads, another write held a
 * lock for too long, a statement took longer than any may, or a transaction was in others' way time
 * and again.
 */
export function isUnavailable(error: unknown): boolean {
  return [isAway, isReadOnly, isLockedOut, isOutOfTime, isRetryable].some((is) => is(error));
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
