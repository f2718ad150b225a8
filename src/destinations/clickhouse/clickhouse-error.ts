import { errors } from 'undici';
import { ForbiddenAddressError } from '../../platform/outbound/address-policy';
import { ResponseTooLargeError } from '../../platform/outbound/checked-connector';
import { DestinationError, printable } from '../destination';
import { type FailureMeaning, networkMeaning, SERVER_MEANINGS } from '../network-failure';

/** Maximum number of characters of a message of the server that is passed on. */
const MAX_SERVER_MESSAGE = 300;

const REJECTED_LOGIN: FailureMeaning = [
  'configuration',
  'The database rejected the user or the password. Correct them.',
];
const LACKS_RIGHT: FailureMeaning = [
  'configuration',
  'The user lacks a right. Grant SELECT, INSERT, ALTER, CREATE TABLE, CREATE VIEW, DROP TABLE and DROP VIEW on the database, SELECT on system.processes, and CREATE TEMPORARY TABLE.',
];
const TOO_OLD: FailureMeaning = [
  'configuration',
  'The server lacks a function that a sync needs. Update ClickHouse.',
];
const REJECTED_VALUE: FailureMeaning = ['inconsistent', 'The database rejected a value.'];
const TABLE_GONE: FailureMeaning = ['inconsistent', 'A table does not exist anymore.'];
const COLUMN_GONE: FailureMeaning = ['inconsistent', 'A column does not exist anymore.'];
const COLUMN_CHANGED: FailureMeaning = ['inconsistent', 'A column has another type now.'];
const BUSY: FailureMeaning = ['unavailable', 'The server is overloaded. The sync is retried.'];
const NO_MEMORY: FailureMeaning = [
  'unavailable',
  'The database is out of memory. Reduce its load, or give it more memory.',
];
const { slow: SLOW } = SERVER_MEANINGS;

const OTHER_EXCEPTION: FailureMeaning = ['unavailable', 'The database failed.'];

/** Failures by code of an exception of ClickHouse. The message of the server follows the text. */
const BY_EXCEPTION: Readonly<Record<number, FailureMeaning>> = {
  192: REJECTED_LOGIN,
  193: REJECTED_LOGIN,
  194: REJECTED_LOGIN,
  516: REJECTED_LOGIN,
  195: ['configuration', 'The server does not accept this user from the address of the service.'],
  497: LACKS_RIGHT,
  164: ['configuration', 'The user or the server is read-only. Choose a user that may write.'],
  452: ['configuration', 'The profile of the user forbids a setting that a sync needs.'],
  81: ['configuration', 'The database does not exist. Create it, or correct its name.'],
  48: TOO_OLD,
  46: TOO_OLD,
  56: TOO_OLD,
  62: TOO_OLD,
  115: TOO_OLD,
  6: REJECTED_VALUE,
  26: REJECTED_VALUE,
  27: REJECTED_VALUE,
  38: REJECTED_VALUE,
  41: REJECTED_VALUE,
  69: REJECTED_VALUE,
  72: REJECTED_VALUE,
  117: REJECTED_VALUE,
  407: REJECTED_VALUE,
  467: REJECTED_VALUE,
  60: TABLE_GONE,
  218: TABLE_GONE,
  10: COLUMN_GONE,
  16: COLUMN_GONE,
  47: COLUMN_GONE,
  53: COLUMN_CHANGED,
  70: COLUMN_CHANGED,
  159: SLOW,
  160: SLOW,
  209: SLOW,
  394: SLOW,
  201: ['unavailable', 'The quota of the user is used up. Increase it, or wait.'],
  202: BUSY,
  203: BUSY,
  252: BUSY,
  241: NO_MEMORY,
  173: NO_MEMORY,
  242: [
    'unavailable',
    'The tables of the server are read-only now, because it has lost its keeper.',
  ],
  243: ['unavailable', 'The disk of the database is full. Free some space.'],
  473: ['unavailable', 'Another session has locked the table. End it, or wait.'],
};

/** An exception that ClickHouse has returned. */
export class ClickhouseException extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(printable(message, MAX_SERVER_MESSAGE));
  }
}

/** Returns a failure of a response that has no end. */
export function responseCutOff(): DestinationError {
  return new DestinationError(...SERVER_MEANINGS.closed);
}

/** Returns a failure of a server that does not respond as ClickHouse does. */
export function notClickhouse(status: number): DestinationError {
  return new DestinationError(
    'configuration',
    `The host does not respond as ClickHouse over HTTP (status ${String(status)}). Check the port: it is 8443 with TLS and 8123 without.`,
  );
}

/** Turns a failure of a request to ClickHouse into one for the owner of the connection. */
export function clickhouseError(error: unknown): DestinationError {
  if (error instanceof DestinationError) return error;
  if (error instanceof ForbiddenAddressError || error instanceof ResponseTooLargeError) {
    return new DestinationError('configuration', error.message, { cause: error });
  }
  if (error instanceof ClickhouseException) {
    const known = BY_EXCEPTION[error.code] ?? OTHER_EXCEPTION;
    const server = ` ClickHouse: ${error.message}`;
    return new DestinationError(known[0], known[1] + server, { cause: error });
  }
  const known = networkMeaning(error, SERVER_MEANINGS);
  if (known) return new DestinationError(known[0], known[1], { cause: error });
  if (error instanceof errors.HTTPParserError) {
    const text = 'The host does not speak HTTP at this port. Check the port and `tls`.';
    // Its field `data` has what the host sent.
    const fault = new Error(printable(error.message, MAX_SERVER_MESSAGE));
    return new DestinationError('configuration', text, { cause: fault });
  }
  return new DestinationError('unavailable', 'The connection failed.', { cause: error });
}
