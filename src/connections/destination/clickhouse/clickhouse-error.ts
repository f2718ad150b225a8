import { errors } from 'undici';
import { shorten } from '../../../common/text/id';
import { ForbiddenAddressError } from '../../../platform/outbound/address-policy';
import { ResponseTooLargeError } from '../../../platform/outbound/checked-connector';
import { DestinationError, type FailureKind } from '../destination';

/** Maximum number of characters of a message of the server that is passed on. */
const MAX_SERVER_MESSAGE = 300;

type Known = readonly [FailureKind, string];

const REJECTED_LOGIN: Known = [
  'configuration',
  'The database rejected the user or the password. Correct them.',
];
const LACKS_RIGHT: Known = [
  'configuration',
  'The user lacks a right. Grant SELECT, INSERT, ALTER, CREATE TABLE, CREATE VIEW, DROP TABLE and DROP VIEW on the database, SELECT on system.processes, and CREATE TEMPORARY TABLE.',
];
const TOO_OLD: Known = [
  'configuration',
  'The server lacks a function that a sync needs. Update ClickHouse.',
];
const REJECTED_VALUE: Known = ['inconsistent', 'The database rejected a value.'];
const TABLE_GONE: Known = ['inconsistent', 'A table does not exist anymore.'];
const COLUMN_GONE: Known = ['inconsistent', 'A column does not exist anymore.'];
const COLUMN_CHANGED: Known = ['inconsistent', 'A column has another type now.'];
const BUSY: Known = ['unavailable', 'The server has too much to do.'];
const SLOW: Known = ['unavailable', 'A statement took too long, or was canceled.'];
const CLOSED: Known = ['unavailable', 'The connection was closed.'];
const TIMED_OUT: Known = ['unavailable', 'The connection timed out.'];
const UNRESOLVED: Known = ['configuration', 'The host name does not resolve. Correct it.'];

const OTHER_EXCEPTION: Known = ['unavailable', 'The database failed.'];

/** Failures by code of an exception of ClickHouse. The message of the server follows the text. */
const BY_EXCEPTION: Readonly<Record<number, Known>> = {
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
  201: ['unavailable', 'The quota of the user is used up.'],
  202: BUSY,
  203: BUSY,
  252: BUSY,
  241: ['unavailable', 'The database is out of memory.'],
  173: ['unavailable', 'The database is out of memory.'],
  242: [
    'unavailable',
    'The tables of the server are read-only now, because it has lost its keeper.',
  ],
  243: ['unavailable', 'The disk of the database is full. Free some space.'],
  473: ['unavailable', 'Another session locks the table for too long.'],
};

const BY_CODE: Readonly<Record<string, Known>> = {
  ENOTFOUND: UNRESOLVED,
  ECONNREFUSED: ['unavailable', 'The host accepts no connections at this port.'],
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  ETIMEDOUT: TIMED_OUT,
  UND_ERR_CONNECT_TIMEOUT: TIMED_OUT,
  UND_ERR_HEADERS_TIMEOUT: SLOW,
  UND_ERR_BODY_TIMEOUT: SLOW,
  EHOSTUNREACH: ['unavailable', 'The host is not reachable.'],
  ENETUNREACH: ['unavailable', 'The network is not reachable.'],
};

/** An exception that ClickHouse has returned. */
export class ClickhouseException extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(cleaned(message, MAX_SERVER_MESSAGE));
  }
}

/** What a server says, as far as it may be shown or logged: short, and without control characters. */
function cleaned(text: string, max: number): string {
  return shorten(text.slice(0, 2 * max + 1).replaceAll(/\p{Cc}+/gu, ' '), max);
}

/** Returns a failure of a response that has no end. */
export function cutOff(): DestinationError {
  return new DestinationError(CLOSED[0], CLOSED[1]);
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
  // Node gathers the failures of the addresses of a name.
  const [cause] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const { code = '', syscall = '', name = '' } = cause as Partial<NodeJS.ErrnoException>;
  const known = syscall.startsWith('query') ? UNRESOLVED : BY_CODE[code];
  if (known) return new DestinationError(known[0], known[1], { cause: error });
  if (name === 'TimeoutError') return new DestinationError(SLOW[0], SLOW[1], { cause: error });
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    const text = `TLS failed (${code}). The server needs TLS with a certificate of a public authority, or of the one in \`caCertificate\`.`;
    return new DestinationError('configuration', text, { cause: error });
  }
  if (error instanceof errors.HTTPParserError) {
    const text = 'The host does not speak HTTP at this port. Check the port and `tls`.';
    // Its field `data` has what the host sent.
    const fault = new Error(cleaned(error.message, MAX_SERVER_MESSAGE));
    return new DestinationError('configuration', text, { cause: fault });
  }
  return new DestinationError('unavailable', 'The connection failed.', { cause: error });
}
