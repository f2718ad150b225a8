import type { FailureKind } from './destination';

/** Kind of a failure, and a text that says what to do. */
export type FailureMeaning = readonly [kind: FailureKind, text: string];

/** Returns a map, because a code of a server such as `constructor` would find something in an object. */
export const meaningsByCode = (
  meanings: Readonly<Record<string, FailureMeaning>>,
): ReadonlyMap<string, FailureMeaning> => new Map(Object.entries(meanings));

/** What a failure of the network can mean. */
type NetworkFault =
  | 'unresolved'
  | 'refused'
  | 'closed'
  | 'timedOut'
  | 'slow'
  | 'noHost'
  | 'noNetwork';

/** The meanings of failures of the network and of TLS. */
export type NetworkMeanings = Readonly<Record<NetworkFault, FailureMeaning>> & {
  /** Returns the text of a failure of TLS. @param code Code of the failure; empty if it has none. */
  readonly tls: (code: string) => string;
};

/** Meanings for a server with the settings `host`, `port`, `tls` and `caCertificate`. */
export const SERVER_MEANINGS: NetworkMeanings = {
  unresolved: ['configuration', 'The host name does not resolve. Correct it.'],
  refused: [
    'unavailable',
    'The host rejects connections at this port. Check `port`, and that the server is running.',
  ],
  closed: ['unavailable', 'The connection was closed.'],
  timedOut: ['unavailable', 'The connection timed out.'],
  slow: ['unavailable', 'A statement took too long, or was canceled.'],
  noHost: ['unavailable', 'The host is not reachable. Check the address and the network.'],
  noNetwork: ['unavailable', 'The network is not reachable. Check the address and the network.'],
  tls: (code) =>
    `TLS failed${code === '' ? '' : ` (${code})`}. The server needs TLS with a certificate of a public authority, or of the one in \`caCertificate\`.`,
};

const FAULTS: ReadonlyMap<string, NetworkFault> = new Map<string, NetworkFault>([
  ['ENOTFOUND', 'unresolved'],
  ['ECONNREFUSED', 'refused'],
  ['ECONNRESET', 'closed'],
  ['EPIPE', 'closed'],
  ['UND_ERR_SOCKET', 'closed'],
  ['ETIMEDOUT', 'timedOut'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timedOut'],
  ['UND_ERR_HEADERS_TIMEOUT', 'slow'],
  ['UND_ERR_BODY_TIMEOUT', 'slow'],
  ['EHOSTUNREACH', 'noHost'],
  ['ENETUNREACH', 'noNetwork'],
]);

interface Failure {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly name?: unknown;
}

/** Returns the failure of the first address, if Node has gathered those of all addresses of a name. */
export const firstFailure = (error: unknown): unknown =>
  error instanceof AggregateError ? (error.errors as unknown[])[0] : error;

/** Returns what a failure of the network or of TLS means; `null` for any other failure. */
export function networkMeaning(error: unknown, meanings: NetworkMeanings): FailureMeaning | null {
  const { code, syscall, name } = firstFailure(error) as Failure;
  // A query to a name server.
  if (typeof syscall === 'string' && syscall.startsWith('query')) return meanings.unresolved;
  const fault = typeof code === 'string' ? FAULTS.get(code) : undefined;
  if (fault) return meanings[fault];
  if (name === 'TimeoutError') return meanings.slow;
  if (typeof code === 'string' && /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return ['configuration', meanings.tls(code)];
  }
  return null;
}
