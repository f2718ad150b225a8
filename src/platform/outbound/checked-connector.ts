import { type LookupAddress, lookup as lookupHost } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { type AddressPolicy, ForbiddenAddressError, hostOf } from './address-policy';

/** Resolves a host name to all of its addresses. */
export type Resolver = (
  hostname: string,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

const resolveHost: Resolver = (hostname, callback) => {
  lookupHost(hostname, { all: true }, callback);
};

/**
 * Returns undici's connector with three checks of the address: of a literal in the URL, which is
 * never looked up; of every address that a lookup returns, before any of them is tried; and of the
 * peer of the connected socket, before TLS starts. Each connection is looked up and checked anew, so
 * that a name cannot pass the check with one address and be used with another (DNS rebinding). Plain
 * HTTP is possible only to addresses that the operator allows.
 */
export function checkedConnector(
  policy: AddressPolicy,
  timeoutMs: number,
  resolve: Resolver = resolveHost,
): buildConnector.connector {
  const http = connectorFor(resolve, timeoutMs, (address) => policy.isAllowedPrivate(address));
  const https = connectorFor(resolve, timeoutMs, (address) => policy.accepts(address));
  return (options, callback) => {
    const { connect, isAllowed } = options.protocol === 'https:' ? https : http;
    const host = hostOf(options);
    if (isIP(host) !== 0 && !isAllowed(host)) {
      callback(new ForbiddenAddressError(), null);
      return;
    }
    const socket = connect({ ...options, hostname: host }, callback);
    socket.prependOnceListener('connect', () => {
      if (!isAllowed(socket.remoteAddress ?? '')) socket.destroy(new ForbiddenAddressError());
    });
  };
}

interface ProtocolConnector {
  readonly connect: (...args: Parameters<buildConnector.connector>) => Socket;
  readonly isAllowed: (address: string) => boolean;
}

/** Returns undici's connector with a lookup that checks addresses. It does not check literals. */
function connectorFor(
  resolve: Resolver,
  timeoutMs: number,
  isAllowed: (address: string) => boolean,
): ProtocolConnector {
  const options = { timeout: timeoutMs, lookup: checkedLookup(resolve, isAllowed) };
  // undici's types omit the socket that its connector returns.
  return { connect: buildConnector(options) as ProtocolConnector['connect'], isAllowed };
}

/** A name that has one forbidden address is not connected to at all. */
function checkedLookup(resolve: Resolver, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      // Node passes no addresses with an error, in spite of its types.
      const [first] = error ? [] : addresses;
      if (error) callback(error, '', 0);
      else if (!first || !addresses.every(({ address }) => isAllowed(address))) {
        callback(new ForbiddenAddressError(), '', 0);
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
