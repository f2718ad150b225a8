import { ForbiddenAddressError } from '../../platform/outbound/address-policy';
import { DestinationError, printable } from '../destination';
import { firstFailure, meaningsByCode, networkMeaning, SERVER_MEANINGS } from '../network-failure';

/** Maximum number of characters of a message of the server that is passed on. */
const MAX_SERVER_MESSAGE = 300;
const MAX_CODE = 40;

/** Failures by SQLSTATE. The message of the server follows the text. */
const BY_STATE = meaningsByCode({
  '28P01': ['configuration', 'The database rejected the user or the password. Correct them.'],
  '28000': [
    'configuration',
    'The database rejected the user or the connection. Check the user, and which connections the server accepts.',
  ],
  '3D000': ['configuration', 'The database does not exist. Create it, or correct its name.'],
  '42501': [
    'configuration',
    'The user lacks a right. Grant USAGE and CREATE on the schema, and the ownership of the tables.',
  ],
  '2BP01': [
    'configuration',
    'Another object, such as a view, depends on the table of a load. Drop the object.',
  ],
  '25006': ['configuration', 'The database is read-only. Connect to the primary server.'],
  '54011': [
    'configuration',
    'The table has more columns than PostgreSQL allows. Choose fewer columns.',
  ],
  '53100': ['unavailable', 'The disk of the database is full. Free some space.'],
  '53200': [
    'unavailable',
    'The database is out of memory. Reduce its load, or give it more memory.',
  ],
  '53300': ['unavailable', 'The database has no free connection.'],
  '55P03': ['unavailable', 'Another session has locked the table. End it, or wait.'],
  '57014': ['unavailable', 'A statement took too long, or was canceled.'],
  '40001': ['unavailable', 'The transaction conflicted with another one.'],
  '40P01': ['unavailable', 'The transaction conflicted with another one.'],
  '42P01': ['inconsistent', 'A table does not exist anymore.'],
  '42703': ['inconsistent', 'A column does not exist anymore.'],
  '42P10': ['inconsistent', 'The table has no primary key anymore.'],
  '42804': ['inconsistent', 'A column has another type now.'],
  '42701': ['inconsistent', 'A column exists already.'],
});

interface ServerError {
  readonly code?: string;
  readonly message?: string;
  readonly severity?: string;
}

/** Returns what a server says, as far as it may be shown or logged. */
const cleaned = (text: unknown, max: number): string =>
  typeof text === 'string' ? printable(text, max) : '';

/** A failure of `pg` as the cause of another error. What else the server has said is left out. */
class PostgresqlFault extends Error {
  readonly code: string;
  readonly severity: string | undefined;

  constructor({ code, message, severity }: ServerError) {
    super(cleaned(message, MAX_SERVER_MESSAGE));
    this.code = cleaned(code, MAX_CODE);
    this.severity = severity === undefined ? undefined : cleaned(severity, MAX_CODE);
  }
}

/** Turns a failure of `pg` into one for the owner of the connection. */
export function postgresqlError(error: unknown): DestinationError {
  if (error instanceof DestinationError) return error;
  if (error instanceof ForbiddenAddressError) {
    return new DestinationError('configuration', error.message, { cause: error });
  }
  const first = firstFailure(error);
  const cause = new PostgresqlFault(first as ServerError);
  const { code, message, severity } = cause;
  const server = severity === undefined ? '' : ` PostgreSQL: ${message}`;
  const known =
    severity === undefined ? networkMeaning(first, SERVER_MEANINGS) : BY_STATE.get(code);
  if (known) return new DestinationError(known[0], known[1] + server, { cause });
  if (message.includes('does not support SSL')) {
    return new DestinationError('configuration', SERVER_MEANINGS.tls(''), { cause });
  }
  const isData = code.startsWith('22') || code.startsWith('23');
  if (isData) {
    const text = `The database rejected a value.${server}`;
    return new DestinationError('inconsistent', text, { cause });
  }
  const text = severity === undefined ? 'The connection failed.' : `The database failed.${server}`;
  return new DestinationError('unavailable', text, { cause });
}
