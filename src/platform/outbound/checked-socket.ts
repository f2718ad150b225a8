import { isIP, Socket, type SocketConnectOpts } from 'node:net';
import type { AddressPolicy } from './address-policy';
import { checkedLookup } from './checked-connector';
import type { Resolver } from './host-resolver';

/** What a connection to a host that a user chose needs. */
export interface CheckedSocketOptions {
  readonly resolve: Resolver;
  /** Whether the addresses must be private ones that the operator allows, as plain text requires. */
  readonly onlyAllowedPrivate: boolean;
}

/**
 * A TCP socket for protocols other than HTTP, with the checks of `checkedConnector`: of an address
 * that is given as the host, of every address that a lookup returns, and of the peer. It connects
 * only with `connect(port, host)`.
 */
export class CheckedSocket extends Socket {
  private readonly isAllowed: (address: string) => boolean;

  constructor(
    private readonly policy: AddressPolicy,
    private readonly options: CheckedSocketOptions,
  ) {
    super();
    this.isAllowed = options.onlyAllowedPrivate
      ? (address) => policy.isAllowedPrivate(address)
      : (address) => policy.accepts(address);
  }

  override connect(...args: unknown[]): this {
    const [port, host] = args;
    if (typeof port !== 'number' || typeof host !== 'string') {
      throw new TypeError('A checked socket connects with a port and a host.');
    }
    if (isIP(host) !== 0 && !this.isAllowed(host)) {
      process.nextTick(() => this.destroy(this.policy.forbidden()));
      return this;
    }
    this.prependOnceListener('connect', () => {
      if (!this.isAllowed(this.remoteAddress ?? '')) this.destroy(this.policy.forbidden());
    });
    const lookup = checkedLookup(this.policy, this.options.resolve, this.isAllowed);
    const target: SocketConnectOpts = { port, host, lookup };
    return super.connect(target);
  }
}
