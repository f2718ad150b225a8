import { errors } from 'undici';
import { ForbiddenAddressError } from '../../platform/outbound/address-policy';
import { ResponseTooLargeError } from '../../platform/outbound/checked-connector';
import { DestinationError, printable } from '../destination';
import { type FailureMeaning, networkMeaning, type NetworkMeanings } from '../network-failure';

/** Maximum number of characters of a message of the catalog that is passed on. */
const MAX_SERVER_MESSAGE = 300;

const TIMED_OUT: FailureMeaning = ['unavailable', 'The catalog did not respond in time.'];

const CATALOG_MEANINGS: NetworkMeanings = {
  unresolved: ['configuration', 'The host name of the catalog does not resolve. Correct `uri`.'],
  refused: [
    'unavailable',
    'The host of the catalog rejects connections at this port. Check `uri`, and that the catalog is running.',
  ],
  closed: ['unavailable', 'The catalog closed the connection.'],
  timedOut: TIMED_OUT,
  slow: TIMED_OUT,
  noHost: ['unavailable', 'The host of the catalog is not reachable. Check `uri` and the network.'],
  noNetwork: [
    'unavailable',
    'The network of the catalog is not reachable. Check `uri` and the network.',
  ],
  tls: (code) =>
    `TLS with the catalog failed (${code}). It needs a certificate of a public authority, or of the one in \`caCertificate\`.`,
};

const NOT_SUPPORTED: FailureMeaning = [
  'configuration',
  'The catalog does not support an operation that a sync needs, such as to rename a table. Choose another catalog.',
];

const BY_STATUS: Readonly<Record<number, FailureMeaning>> = {
  400: ['configuration', 'The catalog rejected the request. Check `warehouse` and `namespace`.'],
  401: ['configuration', 'The catalog rejected the credentials. Correct them.'],
  403: [
    'configuration',
    'The catalog denied access. Grant the right to create namespaces, and to create, read, change, rename and drop tables.',
  ],
  404: [
    'configuration',
    'The catalog does not know this warehouse, namespace or table. Check `uri`, `warehouse` and `namespace`.',
  ],
  405: NOT_SUPPORTED,
  406: NOT_SUPPORTED,
  429: ['unavailable', 'The catalog is overloaded. The sync is retried.'],
  501: NOT_SUPPORTED,
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

function otherStatus(status: number): FailureMeaning {
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
    `The catalog returned an invalid response: ${what}. Check that \`uri\` is that of an Iceberg REST catalog.`,
  );
}

/** Turns a failure of a request to a catalog into one for the owner of the connection. */
export function icebergError(error: unknown): DestinationError {
  if (error instanceof DestinationError) return error;
  if (error instanceof ForbiddenAddressError || error instanceof ResponseTooLargeError) {
    return new DestinationError('configuration', `Catalog: ${error.message}`, { cause: error });
  }
  const known = networkMeaning(error, CATALOG_MEANINGS);
  if (known) return new DestinationError(known[0], known[1], { cause: error });
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
