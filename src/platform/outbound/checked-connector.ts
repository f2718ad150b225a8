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
 * that a name cannot pass the check with one address and be used with another (DNS rebinding).
 */
export function checkedConnector(
  policy: AddressPolicy,
  timeoutMs: number,
  resolve: Resolver = resolveHost,
): buildConnector.connector {
  // undici's types omit the socket that its connector returns.
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: checkedLookup(policy, resolve),
  }) as (...args: Parameters<buildConnector.connector>) => Socket;
  return (options, callback) => {
    const host = hostOf(options);
    if (isIP(host) !== 0 && !policy.accepts(host)) {
      callback(new ForbiddenAddressError(), null);
      return;
    }
    let failure: Error | undefined;
    const connected: buildConnector.Callback = (...[error, socket]) => {
      if (error) callback(failure ?? error, null);
      else callback(null, socket);
    };
    const socket = connect({ ...options, hostname: host }, connected);
    socket.once('connect', () => {
      const { remoteAddress = '' } = socket;
      const isAllowed =
        options.protocol === 'https:'
          ? policy.accepts(remoteAddress)
          : policy.isAllowedPrivate(remoteAddress);
      if (isAllowed) return;
      failure = new ForbiddenAddressError();
      socket.destroy(failure);
    });
  };
}

/** A name that has one forbidden address is not connected to at all. */
function checkedLookup(policy: AddressPolicy, resolve: Resolver): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, addresses) => {
      const [first] = addresses;
      if (error) callback(error, '', 0);
      else if (!first || !addresses.every(({ address }) => policy.accepts(address))) {
        callback(new ForbiddenAddressError(), '', 0);
      } else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}
