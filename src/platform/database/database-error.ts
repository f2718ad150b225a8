import { QueryFailedError, QueryRunnerAlreadyReleasedError } from 'typeorm';

interface PostgresError {
  readonly code?: string;
  readonly constraint?: string;
  readonly message?: string;
}

function postgresErrorOf(error: unknown): PostgresError | undefined {
  if (error instanceof QueryFailedError) return error.driverError as PostgresError;
  return error instanceof Error ? error : undefined;
}

/**
 * Returns whether `error` is a serialization failure or a deadlock: the transaction can be retried.
 */
export function isRetryable(error: unknown): boolean {
  const code = postgresErrorOf(error)?.code;
  return code === '40001' || code === '40P01';
}

/**
 * Returns the violated unique constraint. Citus does not forward its name from another node, and reports
 * an internal error if it moved rows to a shard by COPY. Only the message has the name.
 */
function violatedConstraint(fault: PostgresError | undefined): string | undefined {
  if (fault?.code !== '23505' && fault?.code !== 'XX000') return undefined;
  const named = /^duplicate key value violates unique constraint "(\w+)"$/.exec(
    fault.message ?? '',
  );
  return fault.constraint ?? named?.[1];
}

/** Suffix that Citus adds to the name of a table, and of its constraints, on the node of a shard. */
const SHARD_SUFFIX = /_\d+$/;

/**
 * Returns whether `error` is a violation of the unique index or constraint of that name. Citus reports
 * the name on the shard.
 */
export function isDuplicate(error: unknown, constraint: string): boolean {
  const violated = violatedConstraint(postgresErrorOf(error));
  return violated === constraint || violated?.replace(SHARD_SUFFIX, '') === constraint;
}

/** Returns whether the database cannot run a statement at all, as Citus with some forms of joins. */
export function isNotSupported(error: unknown): boolean {
  return postgresErrorOf(error)?.code === '0A000';
}

/** Returns whether `error` is a statement that exceeded `statement_timeout`. */
export function isStatementTimeout(error: unknown): boolean {
  return postgresErrorOf(error)?.code === '57014';
}

/**
 * Returns whether `error` is a text longer than PostgreSQL allows (about 1 GB): a program limit
 * (54000), or a request for that much memory, which has no code of its own.
 */
export function isTooLong(error: unknown): boolean {
  const fault = postgresErrorOf(error);
  if (fault?.code === '54000') return true;
  const isInternal = fault?.code === 'XX000';
  return isInternal && (fault.message ?? '').startsWith('invalid memory alloc request size');
}

/** Thrown when the queue for a connection is full. */
export class QueueFullError extends Error {
  constructor() {
    super('Too many requests are waiting for a database connection.');
  }
}

/**
 * Connection errors (08), insufficient resources (53), operator intervention (57P), idle timeouts
 * (25P), and rejected connections (28, 3D000, 55000).
 */
const CONNECTION_STATES = /^(08...|28...|3D000|53...|55000|57P0[1-5]|25P0[34])$/;

/** A write was sent to a read-only server. */
const READ_ONLY_STATE = '25006';

/** Error codes of Node and of the network. */
const CONNECTION_CODES = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOENT'],
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'ENOTFOUND', 'EAI_AGAIN'],
  // No connection could be opened: this machine has no files, ports or memory left.
  ...['EMFILE', 'ENFILE', 'EADDRNOTAVAIL', 'ENOBUFS', 'ENOMEM'],
]);

/** PostgreSQL's certificate is not trusted, or there is no common version of TLS. */
const TLS_CODES =
  /^(ERR_(TLS|SSL)_|CERT_|UNABLE_TO_|(DEPTH_ZERO_)?SELF_SIGNED_CERT|HOSTNAME_MISMATCH|EPROTO)/;

/** Messages of `pg` and its pool, which have no code. */
const CONNECTION_MESSAGE =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|timeout expired|Driver not Connected|after calling end on the pool|SSL connection|^SASL:/i;

/** Messages of failures before a statement was sent. */
const NO_STATEMENT_MESSAGE =
  /trying to connect|connection timeout|timeout expired|Driver not Connected|not queryable|calling end|SSL connection|^SASL:/i;

/** Internal errors and input/output errors, with which Citus reports that it lost a worker. */
const LOST_WORKER_STATES = /^(XX000|58030)$/;

/** Messages of Citus about a lost worker. */
const LOST_WORKER_MESSAGE =
  /^(failure on connection marked as essential|postmaster was shut down|could not commit transaction for shard|failed to prepare transaction|failed to (complete COPY on|COPY to shard)|execution cannot recover from multiple connection failures|cannot connect to \S+ to fetch intermediate results|terminating connection)/;

/** Messages of `libpq`, which connects the coordinator with its workers, about a connection that broke. */
const BROKEN_LINK_MESSAGE =
  /(^|: )(server closed the connection|could not (receive|send) data|no connection to the server|connection not open|invalid socket|SSL (SYSCALL )?error|SSL connection has been closed)/;

/**
 * Citus commits on several nodes in two phases, and reports no failure after the decision. But a single
 * worker may have committed a transaction before it, or the coordinator, was lost.
 */
const LOST_COMMIT_MESSAGE = /^(could not commit transaction for shard|postmaster was shut down)/;

function isLostWorker({ code = '', message = '' }: PostgresError): boolean {
  if (!LOST_WORKER_STATES.test(code)) return false;
  return LOST_WORKER_MESSAGE.test(message) || BROKEN_LINK_MESSAGE.test(message);
}

/** Returns whether a worker may have committed the statement during which Citus lost it. */
function isLostCommit({ code = '', message = '' }: PostgresError): boolean {
  if (LOST_COMMIT_MESSAGE.test(message)) return code === 'XX000';
  return /^(XX000|08...)$/.test(code) && BROKEN_LINK_MESSAGE.test(message);
}

/**
 * Returns whether the database is unreachable or rejects the connection. TypeORM releases a
 * transaction's connection when it breaks, and fails the next statement with
 * `QueryRunnerAlreadyReleasedError`.
 */
export function isConnectionFailure(error: unknown): boolean {
  if (error instanceof QueueFullError || error instanceof QueryRunnerAlreadyReleasedError) {
    return true;
  }
  const fault = postgresErrorOf(error);
  if (!fault) return false;
  const code = fault.code ?? '';
  if (CONNECTION_STATES.test(code) || CONNECTION_CODES.has(code) || TLS_CODES.test(code))
    return true;
  if (isLostWorker(fault)) return true;
  return code === '' && CONNECTION_MESSAGE.test(fault.message ?? '');
}

/**
 * Returns whether the connection broke during a statement, so that a commit may or may not have
 * happened: it must not be repeated. If PostgreSQL reported an error, the statement was rolled
 * back, unless the error is that Citus lost a worker.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!isConnectionFailure(error) || error instanceof QueueFullError) return false;
  if (error instanceof QueryRunnerAlreadyReleasedError) return false;
  const { code = '', message, syscall } = postgresErrorOf(error) as NodeJS.ErrnoException;
  if (code === '') return !NO_STATEMENT_MESSAGE.test(message);
  if (isLostCommit({ code, message })) return true;
  return CONNECTION_CODES.has(code) && syscall !== 'connect' && syscall !== 'getaddrinfo';
}

/**
 * Returns whether `error` is a lock timeout: another write held the lock for too long, nothing was
 * written.
 */
export function isLockTimeout(error: unknown): boolean {
  return postgresErrorOf(error)?.code === '55P03';
}

/**
 * Returns whether a write was sent to a read-only server: a primary that became a replica, or was
 * closed for writes. Nothing was written; a new connection may lead to the new primary.
 */
export function isReadOnly(error: unknown): boolean {
  return postgresErrorOf(error)?.code === READ_ONLY_STATE;
}

/**
 * Returns whether a retry may help later: the database is unreachable or read-only, a lock or a
 * statement timed out, or a transaction conflicted with others several times.
 */
export function isUnavailable(error: unknown): boolean {
  return [isConnectionFailure, isReadOnly, isLockTimeout, isStatementTimeout, isRetryable].some(
    (is) => is(error),
  );
}

/** Runs `work`. @throws `failure()` if it violates the unique constraint of that name. */
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
