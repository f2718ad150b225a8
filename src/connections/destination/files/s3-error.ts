import { errors } from 'undici';
import { ForbiddenAddressError } from '../../../platform/outbound/address-policy';
import { ResponseTooLargeError } from '../../../platform/outbound/checked-connector';
import { DestinationError, printable } from '../destination';
import {
  type FailureMeaning,
  meaningsByCode,
  networkMeaning,
  type NetworkMeanings,
  SERVER_MEANINGS,
} from '../network-failure';

/** Maximum number of characters of a message of the server that is passed on. */
const MAX_SERVER_MESSAGE = 300;

const WRONG_KEY: FailureMeaning = [
  'configuration',
  'The server rejected the access key or its secret. Correct them.',
];
const WRONG_REGION: FailureMeaning = [
  'configuration',
  'The bucket is in another region. Correct `region`.',
];
const SLOW: FailureMeaning = ['unavailable', 'A request took too long.'];
const BUSY: FailureMeaning = ['unavailable', 'The server is overloaded. The sync is retried.'];

const MEANINGS: NetworkMeanings = {
  ...SERVER_MEANINGS,
  refused: [
    'unavailable',
    'The host rejects connections at this port. Check `endpoint`, and that the server is running.',
  ],
  slow: SLOW,
};

/** Failures by code of S3. The message of the server follows the text. */
const BY_S3_CODE = meaningsByCode({
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
    'The server does not support conditional writes (If-Match and If-None-Match), which a sync needs. Use one that does.',
  ],
  SlowDown: BUSY,
  ServiceUnavailable: BUSY,
  RequestTimeout: SLOW,
  QuotaExceeded: ['unavailable', 'The quota of the bucket is used up. Free some space.'],
  XMinioStorageFull: ['unavailable', 'The disk of the server is full. Free some space.'],
});

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
  const known = BY_S3_CODE.get(code);
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
export function responseCutOff(): DestinationError {
  return new DestinationError(...SERVER_MEANINGS.closed);
}

/** Returns a failure of a response that is larger than what was asked for. */
export function responseTooLarge(): DestinationError {
  const message = 'The response of the server is too large. Check that `endpoint` is that of S3.';
  return new DestinationError('configuration', message);
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
  const known = networkMeaning(error, MEANINGS);
  if (known) return new DestinationError(known[0], known[1], { cause: error });
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
