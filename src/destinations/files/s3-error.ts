import { errors } from 'undici';
import { ForbiddenAddressError } from '../../platform/outbound/address-policy';
import { ResponseTooLargeError } from '../../platform/outbound/checked-connector';
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
const SLOW: FailureMeaning = ['unavailable', 'A request took too long.'];
const BUSY: FailureMeaning = ['unavailable', 'The server is overloaded. The sync is retried.'];

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

/** Codes of S3 if the bucket is in another region. */
const OF_REGION = ['AuthorizationHeaderMalformed', 'PermanentRedirect', 'TemporaryRedirect'];

/** A response that says that a request failed. */
export interface S3Failure {
  /** Code of S3; empty if the response has none. */
  readonly code: string;
  readonly error: DestinationError;
}

/** Names of the settings of a connection that its owner must check. */
export interface S3SettingNames {
  readonly endpoint: string;
  readonly region: string;
}

/** Failures of a server of S3, for the owner of the connection. */
export class S3Errors {
  private readonly meanings: NetworkMeanings;

  constructor(private readonly names: S3SettingNames) {
    const message = `The host rejects connections at this port. Check \`${names.endpoint}\`, and that the server is running.`;
    this.meanings = { ...SERVER_MEANINGS, refused: ['unavailable', message], slow: SLOW };
  }

  /** Returns the failure that a response describes. */
  failureOf(status: number, body: Buffer): S3Failure {
    const text = body.toString('utf8');
    const [, code = status === 404 ? 'NoSuchKey' : ''] =
      /<Code>(\w{1,60})<\/Code>/.exec(text) ?? [];
    const [, said = ''] = /<Message>([^<]*)<\/Message>/.exec(text) ?? [];
    return { code, error: this.errorOf(status, code, printable(said, MAX_SERVER_MESSAGE)) };
  }

  /** Returns a failure of a response that is larger than what was asked for. */
  tooLarge(): DestinationError {
    const message = `The response of the server is too large. Check that \`${this.names.endpoint}\` is that of S3.`;
    return new DestinationError('configuration', message);
  }

  /** Returns a failure of a server that does not respond as S3 does. */
  notS3(status: number): DestinationError {
    const message = `The host does not respond as S3 (status ${String(status)}). Check \`${this.names.endpoint}\`.`;
    return new DestinationError('configuration', message);
  }

  /** Turns a failure of a request into one for the owner of the connection. */
  of(error: unknown): DestinationError {
    if (error instanceof DestinationError) return error;
    if (error instanceof ForbiddenAddressError || error instanceof ResponseTooLargeError) {
      return new DestinationError('configuration', error.message, { cause: error });
    }
    const known = networkMeaning(error, this.meanings);
    if (known) return new DestinationError(known[0], known[1], { cause: error });
    if (error instanceof errors.HTTPParserError) {
      const message = `The host does not speak HTTP. Check \`${this.names.endpoint}\`.`;
      // Its field `data` has what the host sent.
      const fault = new Error(printable(error.message, MAX_SERVER_MESSAGE));
      return new DestinationError('configuration', message, { cause: fault });
    }
    return new DestinationError('unavailable', 'The connection failed.', { cause: error });
  }

  private errorOf(status: number, code: string, text: string): DestinationError {
    const known = BY_S3_CODE.get(code);
    const said = text === '' ? '' : ` S3: ${text}`;
    if (known) return new DestinationError(known[0], known[1] + said);
    if (OF_REGION.includes(code)) return this.wrongRegion(said);
    if (status >= 300 && status < 400) return this.wrongRegion('');
    if (status === 429 || status === 503) return new DestinationError(...BUSY);
    if (status >= 500) {
      const failed = `The server failed with status ${String(status)}.${said}`;
      return new DestinationError('unavailable', failed);
    }
    if (status === 401 || status === 403) {
      return new DestinationError(WRONG_KEY[0], WRONG_KEY[1] + said);
    }
    return code === ''
      ? this.notS3(status)
      : new DestinationError('configuration', `The server rejected a request (${code}).${said}`);
  }

  private wrongRegion(said: string): DestinationError {
    const message = `The bucket is in another region. Correct \`${this.names.region}\`.${said}`;
    return new DestinationError('configuration', message);
  }
}

/** Returns a failure of a body that ends too early. */
export function responseCutOff(): DestinationError {
  return new DestinationError(...SERVER_MEANINGS.closed);
}

/** Returns a failure of an operation of several requests. */
export function tooLong(): DestinationError {
  return new DestinationError(SLOW[0], SLOW[1]);
}
