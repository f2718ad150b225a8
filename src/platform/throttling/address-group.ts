import { isIPv4, isIPv6, SocketAddress } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/** Returns the canonical form of an IPv6 address: in lower case, and with dots for mapped IPv4. */
function canonical(address: string): string {
  const [withoutZone = ''] = address.split('%');
  return new SocketAddress({ address: withoutZone, family: 'ipv6' }).address;
}

/** Returns the eight groups of a canonical IPv6 address. */
function ipv6Groups(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return tail === undefined ? left : [...left, ...zeros, ...right];
}

/**
 * Returns the group that limits count an address in. An IPv4 address is its own group, also if it
 * is mapped into IPv6 in any notation. An IPv6 address belongs to its /64, which one customer
 * usually holds as a whole. Text that is not an address is returned unchanged.
 */
export function addressGroup(text: string): string {
  if (isIPv4(text) || !isIPv6(text)) return text;
  const address = canonical(text);
  const mapped = MAPPED.exec(address)?.[1];
  return mapped ?? `${ipv6Groups(address).slice(0, 4).join(':')}::/64`;
}
