import { errors } from 'undici';
import { ForbiddenAddressError } from '../../../platform/outbound/address-policy';
import { ResponseTooLargeError } from '../../../platform/outbound/checked-connector';
import { DestinationError, type FailureKind, printable } from '../destination';

/** Maximum number of characters of a message of the server that is passed on. */
const MAX_SERVER_MESSAGE = 300;

type Known = readonly [FailureKind, string];

const WRONG_KEY: Known = [
  'configuration',
  'The server rejected the access key or its secret. Correct them.',
];
const WRONG_REGION: Known = ['configuration', 'The bucket is in another region. Correct `region`.'];
const CLOSED: Known = ['unavailable', 'The connection was closed.'];
const TIMED_OUT: Known = ['unavailable', 'The connection timed out.'];
const SLOW: Known = ['unavailable', 'A request took too long.'];
const BUSY: Known = ['unavailable', 'The server has too much to do.'];
const UNRESOLVED: Known = ['configuration', 'The host name does not resolve. Correct it.'];

/** Failures by code of S3. The message of the server follows the text. */
const BY_S3_CODE: Readonly<Record<string, Known>> = {
  NoSuchBucket: ['configuration', 'The bucket does not exist. Create it, or correct its name.'],
  InvalidAccessKeyId: WRONG_KEY,
  SignatureDoesNotMatch: WRONG_KEY,
  InvalidToken: WRONG_KEY,
  // Only a catalog gives credentials that expire, and each run asks for new ones.
  ExpiredToken: [
    'unavailable',
    'The temporary credentials have expired. The next run gets new ones.',
  ],
  AccessDenied: [
    'configuration',
    'The access key lacks a right. Allow s3:GetObject, s3:PutObject and s3:DeleteObject on the objects, and s3:ListBucket on the bucket.',
  ],
  AllAccessDisabled: ['configuration', 'The server has disabled all access to the bucket.'],
  AuthorizationHeaderMalformed: WRONG_REGION,
  PermanentRedirect: WRONG_REGION,
  TemporaryRedirect: WRONG_REGION,
  RequestTimeTooSkewed: [
    'unavailable',
    'The clocks of the service and of the server differ too much. The operator must set the clock.',
  ],
  NotImplemented: [
    'configuration',
    'The server lacks conditional writes (If-Match and If-None-Match), which a sync needs.',
  ],
  SlowDown: BUSY,
  ServiceUnavailable: BUSY,
  RequestTimeout: SLOW,
  QuotaExceeded: ['unavailable', 'The quota of the bucket is used up. Free some space.'],
  XMinioStorageFull: ['unavailable', 'The disk of the server is full. Free some space.'],
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

/** A response that says that a request failed. */
export interface S3Failure {
  /** Code of S3; empty if the response has none. */
  readonly code: string;
  readonly error: DestinationError;
}

/** Returns the failure that a response describes. */
export function s3Failure(status: number, body: Buffer): S3Failure {
  const text = body.toString('utf8');
  const [, code = status === 404 ? 'NoSuchKey' : ''] = /<Code>(\w{1,60})<\/Code>/.exec(text) ?? [];
  const [, message = ''] = /<Message>([^<]*)<\/Message>/.exec(text) ?? [];
  return { code, error: errorOf(status, code, printable(message, MAX_SERVER_MESSAGE)) };
}

function errorOf(status: number, code: string, message: string): DestinationError {
  const known = BY_S3_CODE[code];
  const said = message === '' ? '' : ` S3: ${message}`;
  if (known) return new DestinationError(known[0], known[1] + said);
  if (status >= 300 && status < 400) return new DestinationError(...WRONG_REGION);
  if (status === 429 || status === 503) return new DestinationError(...BUSY);
  if (status >= 500) {
    const text = `The server failed with status ${String(status)}.${said}`;
    return new DestinationError('unavailable', text);
  }
  if (status === 401 || status === 403)
    return new DestinationError(WRONG_KEY[0], WRONG_KEY[1] + said);
  return code === ''
    ? notS3(status)
    : new DestinationError('configuration', `The server rejected a request (${code}).${said}`);
}

/** Returns a failure of a body that ends too early. */
export function cutOff(): DestinationError {
  return new DestinationError(CLOSED[0], CLOSED[1]);
}

/** Returns a failure of a response that is larger than what was asked for. */
export function tooLarge(): DestinationError {
  return new DestinationError('configuration', 'The server sent more than the service reads.');
}

/** Returns a failure of an operation of several requests. */
export function tooLong(): DestinationError {
  return new DestinationError(SLOW[0], SLOW[1]);
}

/** Returns a failure of a server that does not respond as S3 does. */
export function notS3(status: number): DestinationError {
  return new DestinationError(
    'configuration',
    `The host does not respond as S3 (status ${String(status)}). Check \`endpoint\`.`,
  );
}

/** Turns a failure of a request into one for the owner of the connection. */
export function s3Error(error: unknown): DestinationError {
  if (error instanceof DestinationError) return error;
  if (error instanceof ForbiddenAddressError || error instanceof ResponseTooLargeError) {
    return new DestinationError('configuration', error.message, { cause: error });
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
    // Its field `data` has what the host sent.
    const fault = new Error(printable(error.message, MAX_SERVER_MESSAGE));
    return new DestinationError(
      'configuration',
      'The host does not speak HTTP. Check `endpoint`.',
      {
        cause: fault,
      },
    );
  }
  return new DestinationError('unavailable', 'The connection failed.', { cause: error });
}
