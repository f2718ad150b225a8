import { isIPv4, isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** The eight groups of an IPv6 address, without leading zeros. */
function ipv6Groups(address: string): string[] {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = tail === undefined ? left : [...left, ...zeros, ...right];
  return groups.map((group) => Number.parseInt(group, 16).toString(16));
}

/**
 * What failed authentication is counted by: an IPv4 address itself, also where it comes mapped
 * into IPv6; of an IPv6 address its /64, all of which one customer usually has.
 */
export function addressGroup(address: string): string {
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (isIPv4(address) || !isIPv6(address)) return address;
  return `${ipv6Groups(address).slice(0, 4).join(':')}::/64`;
}
