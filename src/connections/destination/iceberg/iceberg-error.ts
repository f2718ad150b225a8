import { errors } from 'undici';
import { ForbiddenAddressError } from '../../../platform/outbound/address-policy';
import { ResponseTooLargeError } from '../../../platform/outbound/checked-connector';
import { DestinationError, type FailureKind, printable } from '../destination';

/** Maximum number of characters of a message of the catalog that is passed on. */
const MAX_SERVER_MESSAGE = 300;

type Known = readonly [FailureKind, string];

const CLOSED: Known = ['unavailable', 'The catalog closed the connection.'];
const TIMED_OUT: Known = ['unavailable', 'The catalog did not respond in time.'];
const UNRESOLVED: Known = [
  'configuration',
  'The host name of the catalog does not resolve. Correct `uri`.',
];

const BY_CODE: Readonly<Record<string, Known>> = {
  ENOTFOUND: UNRESOLVED,
  ECONNREFUSED: ['unavailable', 'The host of the catalog accepts no connections at this port.'],
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  ETIMEDOUT: TIMED_OUT,
  UND_ERR_CONNECT_TIMEOUT: TIMED_OUT,
  EHOSTUNREACH: ['unavailable', 'The host of the catalog is not reachable.'],
  ENETUNREACH: ['unavailable', 'The network of the catalog is not reachable.'],
};

const BY_STATUS: Readonly<Record<number, Known>> = {
  400: ['configuration', 'The catalog rejected the request. Check `warehouse` and `namespace`.'],
  401: ['configuration', 'The catalog rejected the credentials. Correct them.'],
  403: [
    'configuration',
    'The catalog does not allow this. Grant the right to create namespaces, and to create, read, change, rename and drop tables.',
  ],
  404: [
    'configuration',
    'The catalog does not have this. Check `uri`, `warehouse` and `namespace`.',
  ],
  405: ['configuration', 'The catalog does not support an operation that a sync needs.'],
  406: ['configuration', 'The catalog does not support an operation that a sync needs.'],
  429: ['unavailable', 'The catalog has too much to do.'],
  501: ['configuration', 'The catalog does not support an operation that a sync needs.'],
};

/** A response of the catalog that is no success. */
export class CatalogResponseError extends DestinationError {
  constructor(
    readonly status: number,
    message: string,
  ) {
    const [kind, text] = BY_STATUS[status] ?? otherStatus(status);
    const server = message && ` Catalog: ${printable(message, MAX_SERVER_MESSAGE)}`;
    super(kind, `${text} (status ${String(status)})${server}`);
  }

  /** Whether the catalog may have done what was requested nevertheless. */
  get isUnclear(): boolean {
    return this.status >= 500 && this.status !== 501;
  }
}

function otherStatus(status: number): Known {
  if (status >= 500) return ['unavailable', 'The catalog failed.'];
  if (status === 409) return ['unavailable', 'The table was changed by another program.'];
  return [
    'configuration',
    'The host does not respond as a REST catalog of Apache Iceberg. Check `uri`.',
  ];
}

/** Returns a failure of something that a catalog or its storage has, and that is not valid. */
export function notIceberg(what: string): DestinationError {
  return new DestinationError(
    'configuration',
    `The catalog returned something that is not valid: ${what}. Check \`uri\`.`,
  );
}

/** Turns a failure of a request to a catalog into one for the owner of the connection. */
export function icebergError(error: unknown): DestinationError {
  if (error instanceof DestinationError) return error;
  if (error instanceof ForbiddenAddressError || error instanceof ResponseTooLargeError) {
    return new DestinationError('configuration', `Catalog: ${error.message}`, { cause: error });
  }
  // Node gathers the failures of the addresses of a name.
  const [cause] = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
  const { code = '', syscall = '', name = '' } = cause as Partial<NodeJS.ErrnoException>;
  const known = syscall.startsWith('query') ? UNRESOLVED : BY_CODE[code];
  if (known) return new DestinationError(known[0], known[1], { cause: error });
  if (name === 'TimeoutError') {
    return new DestinationError(TIMED_OUT[0], TIMED_OUT[1], { cause: error });
  }
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    const text = `TLS with the catalog failed (${code}). It needs a certificate of a public authority.`;
    return new DestinationError('configuration', text, { cause: error });
  }
  if (error instanceof errors.HTTPParserError) {
    const text = 'The host of the catalog does not speak HTTP at this port. Check `uri`.';
    // Its field `data` has what the host sent.
    const fault = new Error(printable(error.message, MAX_SERVER_MESSAGE));
    return new DestinationError('configuration', text, { cause: fault });
  }
  return new DestinationError('unavailable', 'The connection to the catalog failed.', {
    cause: error,
  });
}
