import { isIPv4, isIPv6, SocketAddress } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/** One way of writing an IPv6 address out of many: in lower case, mapped IPv4 with its dots. */
function canonical(address: string): string {
  const [withoutZone = ''] = address.split('%');
  return new SocketAddress({ address: withoutZone, family: 'ipv6' }).address;
}

/** The eight groups of a canonical IPv6 address. */
function ipv6Groups(address: string): string[] {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return tail === undefined ? left : [...left, ...zeros, ...right];
}

/**
 * What failed authentication is counted by: an IPv4 address itself, also where it comes mapped
 * into IPv6, however that is written; of an IPv6 address its /64, all of which one customer
 * usually has.
 */
export function addressGroup(text: string): string {
  if (isIPv4(text) || !isIPv6(text)) return text;
  const address = canonical(text);
  const mapped = MAPPED.exec(address)?.[1];
  return mapped ?? `${ipv6Groups(address).slice(0, 4).join(':')}::/64`;
}
