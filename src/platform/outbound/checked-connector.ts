import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressPolicy, hostOf } from './address-policy';
import type { Resolver } from './host-resolver';

/** Maximum number of received bytes of a response, including blank lines, 1xx responses and headers. */
const MAX_RAW_RESPONSE_BYTES = 256 * 1024;

/** Thrown in the middle of a response. The message is public. */
export class ResponseTooLargeError extends Error {
  constructor() {
    super('The response is too large.');
  }
}

/** Options of the connector, in addition to the policy. */
export interface ConnectorOptions {
  /** Maximum time to connect. */
  readonly timeoutMs: number;
  readonly resolve: Resolver;
  /** Certificates of the authorities that are trusted. Default: those of Node.js. */
  readonly ca?: string;
  /** Maximum number of received bytes of a response. Default: MAX_RAW_RESPONSE_BYTES. */
  readonly maxResponseBytes?: number;
}

/**
 * Returns undici's connector with three checks of the address: of a literal in the URL, which is
 * never looked up; of every address that a lookup returns, before any of them is tried; and of the
 * peer of the connected socket, before TLS starts. Each connection is looked up and checked anew, so
 * that a name cannot pass the check with one address and be used with another (DNS rebinding). Plain
 * HTTP is possible only to addresses that the operator allows.
 */
export function checkedConnector(
  policy: AddressPolicy,
  options: ConnectorOptions,
): buildConnector.connector {
  const { maxResponseBytes = MAX_RAW_RESPONSE_BYTES } = options;
  const http = connectorFor(policy, options, (address) => policy.isAllowedPrivate(address));
  const https = connectorFor(policy, options, (address) => policy.accepts(address));
  return (target, callback) => {
    const { connect, isAllowed } = target.protocol === 'https:' ? https : http;
    const host = hostOf(target);
    if (isIP(host) !== 0 && !isAllowed(host)) {
      callback(policy.forbidden(), null);
      return;
    }
    const socket = connect({ ...target, hostname: host }, (error, connected) => {
      if (error) callback(error, null);
      else callback(null, withLateEnd(withLimit(connected, maxResponseBytes)));
    });
    socket.prependOnceListener('connect', () => {
      if (!isAllowed(socket.remoteAddress ?? '')) socket.destroy(policy.forbidden());
    });
  };
}

interface ProtocolConnector {
  readonly connect: (...args: Parameters<buildConnector.connector>) => Socket;
  readonly isAllowed: (address: string) => boolean;
}

/** Returns undici's connector with a lookup that checks addresses. It does not check literals. */
function connectorFor(
  policy: AddressPolicy,
  { timeoutMs, resolve, ca }: ConnectorOptions,
  isAllowed: (address: string) => boolean,
): ProtocolConnector {
  const lookup = checkedLookup(policy, resolve, isAllowed);
  const options = { timeout: timeoutMs, lookup, ...(ca !== undefined && { ca }) };
  // undici's types omit the socket that its connector returns.
  return { connect: buildConnector(options) as ProtocolConnector['connect'], isAllowed };
}

/** Returns a lookup that fails if any of the addresses of a name is forbidden. */
export function checkedLookup(
  policy: AddressPolicy,
  resolve: Resolver,
  isAllowed: (address: string) => boolean,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      // Node passes no addresses with an error, in spite of its types.
      const [first] = error ? [] : addresses;
      if (error) callback(error, '', 0);
      else if (!first || !addresses.every(({ address }) => isAllowed(address))) {
        callback(policy.forbidden(), '', 0);
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/**
 * Closes the connection in the middle of a response that is too large. The HTTP parser does not count
 * everything that precedes or surrounds a body. A request starts a new response.
 */
function withLimit<T extends Socket>(socket: T, maxBytes: number): T {
  let [written, before, read] = [0, 0, socket.bytesRead];
  socket.on('readable', () => {
    if (socket.bytesWritten !== written) [written, before] = [socket.bytesWritten, read];
    read = socket.bytesRead;
    if (read - before > maxBytes) socket.destroy(new ResponseTooLargeError());
  });
  return socket;
}

/**
 * Holds the end of a connection back until the HTTP parser has read everything before it. The parser of
 * undici 7 pauses if nobody reads the body, and an end that comes meanwhile would throw an assertion in
 * an event of the socket, which ends the process (nodejs/undici#5360). It reads without a size, and
 * only while it is not paused.
 */
function withLateEnd<T extends Socket>(socket: T): T {
  const push = socket.push.bind(socket);
  const read = socket.read.bind(socket);
  let isHeld = false;
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk !== null) return push(chunk, encoding);
    isHeld = true;
    socket.emit('readable');
    return false;
  };
  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (isHeld && chunk === null && size === undefined) {
      isHeld = false;
      process.nextTick(push, null);
    }
    return chunk;
  };
  return socket;
}
