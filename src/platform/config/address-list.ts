import { BlockList, isIP } from 'node:net';
import { z } from 'zod';

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

/** A comma-separated list of addresses and CIDR ranges. */
export const addressList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine(
    (parts) => parts.every(isAddressOrRange),
    'must be addresses or CIDR ranges, separated by commas',
  );

/** Compiles such a list into a test for a peer's address. */
export function addressMatcher(list: readonly string[]): (address: string) => boolean {
  const block = new BlockList();
  for (const entry of list) {
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) block.addAddress(address, family);
    else block.addSubnet(address, Number(bits), family);
  }
  return (address) => block.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
