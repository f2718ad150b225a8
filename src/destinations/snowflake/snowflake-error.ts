import { ForbiddenAddressError } from '../../platform/outbound/address-policy';
import { ResponseTooLargeError } from '../../platform/outbound/checked-connector';
import { DestinationError, type FailureKind, printable } from '../destination';
import {
  type FailureMeaning,
  firstFailure,
  meaningsByCode,
  networkMeaning,
  type NetworkMeanings,
} from '../network-failure';

/** Maximum number of characters of a message of the server that is passed on. */
const MAX_SERVER_MESSAGE = 300;

const REJECTED: FailureMeaning = [
  'configuration',
  'Snowflake rejected the user or the secret. Correct them.',
];
const KEY_REJECTED: FailureMeaning = [
  'configuration',
  'Snowflake rejected the private key. Assign its public key to the user, and check the account identifier.',
];
const NETWORK_POLICY: FailureMeaning = [
  'configuration',
  'A network policy of the account rejects the address of the service. Allow it.',
];
const NO_ACCOUNT: FailureMeaning = [
  'configuration',
  'The account does not exist at this host. Correct the account identifier.',
];
const NO_OBJECT: FailureMeaning = [
  'inconsistent',
  'A table does not exist anymore, or the role has no rights on it.',
];
const NO_COLUMN: FailureMeaning = ['inconsistent', 'A column does not exist anymore.'];
const NO_DATABASE: FailureMeaning = [
  'configuration',
  'The database or the schema does not exist, or the role may not use it. Create it, or grant USAGE.',
];
const NO_RIGHT: FailureMeaning = ['configuration', 'The role lacks a right. Grant it.'];
const EXISTS: FailureMeaning = [
  'configuration',
  'An object with the name of the table exists already, and this connection did not create it. Rename or drop it, or choose another name.',
];
const LOCKED: FailureMeaning = [
  'unavailable',
  'Another transaction has locked the table. End it, or wait.',
];
const TOO_LONG: FailureMeaning = ['unavailable', 'A statement took too long, or was canceled.'];
const ENDED: FailureMeaning = ['unavailable', 'The session has ended.'];
const OVERLOADED: FailureMeaning = ['unavailable', 'Snowflake is overloaded or being maintained.'];

/** Failures by the code that the server sends. Its message follows the text. */
const BY_CODE = meaningsByCode({
  '000604': TOO_LONG,
  '000606': [
    'configuration',
    'The warehouse does not exist, is not running, or the role may not use it. Create it, or grant USAGE.',
  ],
  '000625': LOCKED,
  '000630': TOO_LONG,
  '000666': ['configuration', 'The account is suspended. Correct its billing at Snowflake.'],
  '000904': NO_COLUMN,
  '001998': EXISTS,
  '002002': EXISTS,
  '002003': NO_OBJECT,
  '002037': NO_OBJECT,
  '002043': NO_DATABASE,
  '003001': NO_RIGHT,
  '003540': TOO_LONG,
  '090073': [
    'configuration',
    'A resource monitor has suspended the warehouse. Increase its quota, or choose another warehouse.',
  ],
  '090105': NO_DATABASE,
  '090106': NO_DATABASE,
  '390100': REJECTED,
  '390101': REJECTED,
  '390102': ['configuration', 'The user is locked. Unlock it, and correct the secret.'],
  '390111': ENDED,
  '390112': ENDED,
  '390114': ENDED,
  '390144': KEY_REJECTED,
  '390189': [
    'configuration',
    'The role does not exist, or the user does not have it. Correct it, or grant it.',
  ],
  '390201': NO_DATABASE,
  '390303': REJECTED,
  '390318': REJECTED,
  '390394': KEY_REJECTED,
  '390422': NETWORK_POLICY,
  '390432': NETWORK_POLICY,
  '394400': REJECTED,
  // What the driver makes of a session that the server does not know anymore.
  '407002': ENDED,
});

/** SQLSTATEs of values that do not fit their column. */
const OF_DATA = new Set(['22000', '22003', '22007', '22008', '22018', '22023', '22026', '22P02']);
/** SQLSTATE of a transaction that lost against another one. */
const CONFLICTS = new Set(['40001', '40002']);

const TIMED_OUT: FailureMeaning = ['unavailable', 'The connection timed out.'];

const MEANINGS: NetworkMeanings = {
  unresolved: ['configuration', 'The host name does not resolve. Correct the account identifier.'],
  refused: [
    'unavailable',
    'The host rejects connections at this port. Check the account identifier, and `url` of an emulator.',
  ],
  closed: ['unavailable', 'The connection was closed.'],
  timedOut: TIMED_OUT,
  slow: TIMED_OUT,
  noHost: ['unavailable', 'The host is not reachable. Check the address and the network.'],
  noNetwork: ['unavailable', 'The network is not reachable. Check the address and the network.'],
  tls: (code) => `TLS failed (${code}). Correct the account identifier.`,
};

/** Thrown for a response with another status than 200. */
export class HttpStatusError extends Error {
  constructor(readonly status: number) {
    super(`Status ${String(status)}.`);
  }
}

/** What the driver and the network throw. */
interface Failure {
  readonly code?: string | number;
  readonly sqlState?: string;
  readonly message?: string;
  readonly syscall?: string;
}

/** Turns a failure of the driver or the network into one for the owner of the connection. */
export function snowflakeError(error: unknown): DestinationError {
  if (error instanceof DestinationError) return error;
  const failed = (kind: FailureKind, text: string): DestinationError =>
    new DestinationError(kind, text, { cause: error });
  if (error instanceof ForbiddenAddressError) return failed('configuration', error.message);
  if (error instanceof ResponseTooLargeError) return tooLarge(error);
  if (error instanceof HttpStatusError) return failed(...statusMeaning(error.status));
  const { code = '', sqlState, message = '', syscall = '' } = firstFailure(error) as Failure;
  const isUnresolved = syscall.startsWith('getaddrinfo');
  const known = isUnresolved ? MEANINGS.unresolved : networkMeaning(error, MEANINGS);
  if (known) return failed(...known);
  if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(error);
  if (!/^\d{6}$/.test(String(code))) return failed('unavailable', 'The connection failed.');
  const [kind, text] = serverMeaning(String(code), sqlState);
  return failed(kind, `${text} The server: ${printable(message, MAX_SERVER_MESSAGE)}`);
}

function serverMeaning(code: string, sqlState = ''): FailureMeaning {
  const known = BY_CODE.get(code);
  if (known) return known;
  if (OF_DATA.has(sqlState)) return ['inconsistent', 'Snowflake rejected a value.'];
  if (CONFLICTS.has(sqlState)) {
    return ['unavailable', 'The transaction conflicted with another one.'];
  }
  if (sqlState === '42501') return NO_RIGHT;
  // Codes of the login.
  return /^39\d{4}$/.test(code) ? REJECTED : ['unavailable', 'Snowflake failed.'];
}

function statusMeaning(status: number): FailureMeaning {
  if (status === 403 || status === 404) return NO_ACCOUNT;
  if (status === 429 || status >= 500) return OVERLOADED;
  return ['configuration', notSnowflakeText(status)];
}

/** Returns the code and the SQLSTATE that the server sent with a failure. */
export function codeOf(error: unknown): string {
  const { code } = (error instanceof DestinationError ? error.cause : error) as Failure;
  return String(code);
}

/** Returns the failure that the host sends what Snowflake does not send. */
export function notSnowflake(status: number, cause?: unknown): DestinationError {
  return new DestinationError('configuration', notSnowflakeText(status), { cause });
}

const notSnowflakeText = (status: number): string =>
  `The host did not respond as Snowflake does (status ${String(status)}). Correct the account identifier.`;

function tooLarge(cause: unknown): DestinationError {
  return new DestinationError(
    'configuration',
    'The response of the host is larger than that of Snowflake can be. Correct the account identifier.',
    { cause },
  );
}

/** Returns the failure that the table of a sync does not exist anymore. */
export const tableMissing = (): DestinationError =>
  new DestinationError('inconsistent', 'A table does not exist anymore.');
