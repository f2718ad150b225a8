import { ForbiddenAddressError } from '../../platform/outbound/address-policy';
import { DestinationError, type FailureKind, printable } from '../destination';
import {
  type FailureMeaning,
  meaningsByCode,
  networkMeaning,
  SERVER_MEANINGS,
} from '../network-failure';

/** Maximum number of characters of a message of the server that is passed on. */
const MAX_SERVER_MESSAGE = 300;

const REJECTED: FailureMeaning = [
  'configuration',
  'The database rejected the user or the password. Correct them.',
];
const NO_RIGHT: FailureMeaning = [
  'configuration',
  'The user lacks a right. Grant ALL PRIVILEGES on the database.',
];
const READ_ONLY: FailureMeaning = [
  'configuration',
  'The database is read-only. Connect to the primary server.',
];
const TOO_MANY_COLUMNS: FailureMeaning = [
  'configuration',
  'The table has more columns than the server allows. Choose fewer columns.',
];
const TOO_LARGE: FailureMeaning = [
  'configuration',
  'A row is larger than max_allowed_packet of the server. Increase this setting.',
];
const DISK_FULL: FailureMeaning = [
  'unavailable',
  'The disk of the database is full. Free some space.',
];
const NO_MEMORY: FailureMeaning = [
  'unavailable',
  'The database is out of memory. Reduce its load, or give it more memory.',
];
const NO_CONNECTION: FailureMeaning = ['unavailable', 'The database has no free connection.'];
const TOO_LONG: FailureMeaning = ['unavailable', 'A statement took too long, or was canceled.'];
const CONFLICT: FailureMeaning = ['unavailable', 'The transaction conflicted with another one.'];
const NO_TABLE: FailureMeaning = ['inconsistent', 'A table does not exist anymore.'];
const NO_COLUMN: FailureMeaning = ['inconsistent', 'A column does not exist anymore.'];
const NO_PLUGIN: FailureMeaning = [
  'configuration',
  'The server requests a form of authentication that is not supported. Create the user with caching_sha2_password or mysql_native_password.',
];

const { closed: CLOSED } = SERVER_MEANINGS;

/** Failures by the number that the server sends. Its message follows the text. */
const BY_NUMBER: Readonly<Record<number, FailureMeaning>> = {
  1020: CONFLICT,
  1021: DISK_FULL,
  1037: NO_MEMORY,
  1038: NO_MEMORY,
  1040: NO_CONNECTION,
  1041: NO_MEMORY,
  1044: NO_RIGHT,
  1045: REJECTED,
  1049: ['configuration', 'The database does not exist. Create it, or correct its name.'],
  1051: NO_TABLE,
  1053: CLOSED,
  1054: NO_COLUMN,
  1060: ['inconsistent', 'A column exists already.'],
  1091: NO_COLUMN,
  1114: DISK_FULL,
  1117: TOO_MANY_COLUMNS,
  1118: TOO_MANY_COLUMNS,
  1130: ['configuration', 'The database rejected the user or the password. Correct them.'],
  1142: NO_RIGHT,
  1143: NO_RIGHT,
  1146: NO_TABLE,
  1153: TOO_LARGE,
  1203: NO_CONNECTION,
  1205: ['unavailable', 'Another session has locked the table. End it, or wait.'],
  1213: CONFLICT,
  1226: NO_CONNECTION,
  1227: NO_RIGHT,
  1251: NO_PLUGIN,
  1273: [
    'configuration',
    'The version of the server is not supported. Use MySQL 8.0.17, MariaDB 10.6 or a later one.',
  ],
  1290: READ_ONLY,
  1317: TOO_LONG,
  1698: REJECTED,
  1792: READ_ONLY,
  1836: READ_ONLY,
  1927: CLOSED,
  1969: TOO_LONG,
  3024: TOO_LONG,
};

/** Numbers of errors that say that a value does not fit its column or breaks a constraint. */
const OF_DATA = new Set([
  1048, 1062, 1261, 1262, 1264, 1265, 1292, 1364, 1366, 1367, 1406, 1451, 1452, 1690, 3819, 4025,
]);

/** Failures by the code of the driver. */
const BY_CODE = meaningsByCode({
  PROTOCOL_CONNECTION_LOST: CLOSED,
  AUTH_SWITCH_PLUGIN_ERROR: NO_PLUGIN,
  MYSQL_CLEAR_PASSWORD_NOT_ENABLED: NO_PLUGIN,
});

interface ServerError {
  readonly code?: string;
  /** Number of the server, or of the system if a system call failed. */
  readonly errno?: number;
  readonly sqlState?: string;
  readonly message?: string;
}

/** Turns a failure of `mysql2` into one for the owner of the connection. */
export function mysqlError(error: unknown): DestinationError {
  if (error instanceof DestinationError) return error;
  const failed = (kind: FailureKind, text: string): DestinationError =>
    new DestinationError(kind, text, { cause: error });
  if (error instanceof ForbiddenAddressError) return failed('configuration', error.message);
  const { code = '', errno = 0, sqlState, message = '' } = error as ServerError;
  if (sqlState !== undefined) {
    // Of InnoDB, as "Can't create table".
    if (message.includes('Too many columns')) return failed(...TOO_MANY_COLUMNS);
    const server = ` The server: ${serverText(message)}`;
    const [kind, text] =
      BY_NUMBER[errno] ??
      (OF_DATA.has(errno)
        ? (['inconsistent', 'The database rejected a value.'] as const)
        : (['unavailable', 'The database failed.'] as const));
    return failed(kind, text + server);
  }
  const known = BY_CODE.get(code) ?? networkMeaning(error, SERVER_MEANINGS);
  if (known) return failed(...known);
  if (message.includes('unknown plugin')) return failed(...NO_PLUGIN);
  if (message.includes('closed state')) return failed(...CLOSED);
  return failed('unavailable', 'The connection failed.');
}

/** Returns the number that the server sent with a failure; 0 if it sent none. */
export function numberOf(error: unknown): number {
  const { errno, sqlState } = (
    error instanceof DestinationError ? error.cause : error
  ) as ServerError;
  return sqlState === undefined ? 0 : (errno ?? 0);
}

/** Returns the failure that a statement is larger than the server takes. */
export function packetTooLarge(): DestinationError {
  return new DestinationError(...TOO_LARGE);
}

/** Returns a text of the server as a message can have it: short, and without control characters. */
export const serverText = (text: string): string => printable(text, MAX_SERVER_MESSAGE);

/** Returns the failure that the server sent a value that no server sends. */
export function invalidValue(name: string): DestinationError {
  return new DestinationError(
    'configuration',
    `The server sent a value of ${name} that is not valid. Check that the host and port are those of MySQL or MariaDB.`,
  );
}
