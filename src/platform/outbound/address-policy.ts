import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isLoopbackHost } from '../../common/text/id';

type Address = ReturnType<typeof ipaddr.process>;
type Range = readonly [Address, number];

/** Global unicast addresses of IPv6. Everything outside is reserved, such as `::7f00:1`. */
const GLOBAL_IPV6: Range = [ipaddr.parse('2000::'), 3];

/** Public by its range, but leads to services of the host on virtual machines of Azure. */
const AZURE_HOST: Range = [ipaddr.parse('168.63.129.16'), 32];

/** Settings that list private addresses which the service may connect to. */
export type PrivateRangesSetting =
  | 'CONNECTION_ALLOWED_PRIVATE_RANGES'
  | 'WEBHOOK_ALLOWED_PRIVATE_RANGES';

/** Thrown for an address that the service must not connect to. The message is public. */
export class ForbiddenAddressError extends Error {
  /** @param setting Name of the setting with which an operator allows the address, if there is one. */
  constructor(setting?: PrivateRangesSetting) {
    super(
      setting === undefined
        ? 'The address is private, reserved or local.'
        : `The address is private, reserved or local. The service connects to it only if the operator allows it in ${setting}.`,
    );
  }
}

/**
 * Decides which addresses users may make the service connect to: public ones, and those in ranges
 * that the operator allows. Rejects loopback, private, link-local, shared, multicast, documentation
 * and other reserved addresses, and IPv6 addresses that lead to IPv4 ones (mapped, NAT64, 6to4,
 * Teredo).
 */
export class AddressPolicy {
  private readonly allowed: readonly Range[];

  /**
   * @param allowedRanges Addresses and CIDR ranges.
   * @param setting The setting that lists them, which errors name. Absent if nobody can allow any.
   */
  constructor(
    allowedRanges: readonly string[],
    private readonly setting?: PrivateRangesSetting,
  ) {
    this.allowed = allowedRanges.map(rangeOf);
  }

  /** Whether an operator allows any private address, and with it plain HTTP to such addresses. */
  get allowsPrivate(): boolean {
    return this.allowed.length > 0;
  }

  /** Returns the error for an address that is not accepted. */
  forbidden(): ForbiddenAddressError {
    return new ForbiddenAddressError(this.setting);
  }

  /** Returns whether an address is in a range that the operator allows. */
  isAllowedPrivate(address: string): boolean {
    const parsed = parsedAddress(address);
    return parsed !== null && this.allowed.some((range) => isIn(parsed, range));
  }

  /** Returns whether the service may connect to an address. Texts that are no address are rejected. */
  accepts(address: string): boolean {
    const parsed = parsedAddress(address);
    if (parsed === null) return false;
    if (this.allowed.some((range) => isIn(parsed, range))) return true;
    if (parsed.range() !== 'unicast') return false;
    if (isIn(parsed, AZURE_HOST)) return false;
    return parsed.kind() === 'ipv4' || isIn(parsed, GLOBAL_IPV6);
  }

  /**
   * Returns whether the host of a URL can be accepted: an address that the policy accepts, or a name.
   * The addresses of a name are checked with each connection. Names of this machine are rejected.
   */
  mayAcceptHost(host: string, isHttps: boolean): boolean {
    if (isIP(host) !== 0) return isHttps ? this.accepts(host) : this.isAllowedPrivate(host);
    return this.allowsPrivate || !isLoopbackHost(host.replace(/\.$/, ''));
  }
}

/** Returns the host of a URL without the brackets of an IPv6 address. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Returns an address, a mapped IPv4 address as IPv4; `null` for other texts. */
function parsedAddress(text: string): Address | null {
  const withoutZone = text.replace(/%.*$/, '');
  // `isValid` also accepts short and octal forms of IPv4, which no part of the service produces.
  if (!ipaddr.isValid(withoutZone)) return null;
  return ipaddr.process(withoutZone);
}

function rangeOf(text: string): Range {
  const [address = '', bits] = text.split('/');
  const parsed = ipaddr.process(address);
  const isMapped = parsed.kind() === 'ipv4' && address.includes(':');
  const length = bits === undefined ? undefined : Number(bits) - (isMapped ? 96 : 0);
  return [parsed, length ?? (parsed.kind() === 'ipv4' ? 32 : 128)];
}

function isIn(address: Address, [start, bits]: Range): boolean {
  return address.kind() === start.kind() && address.match(start, bits);
}
