import { isIP } from 'node:net';
import { z } from 'zod';

/**
 * Whether Node and Express both read `address` as an IPv6 address. An embedded IPv4 address is
 * accepted only in the mapped form (`::ffff:10.0.0.1`).
 */
function isPlainIPv6(address: string): boolean {
  return !address.includes('%') && (!address.includes('.') || /^::ffff:[^:]+$/i.test(address));
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (family === 6 && !isPlainIPv6(address)) return false;
  if (bits === undefined) return true;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

/** A comma-separated list of addresses and CIDR ranges, in forms that Express accepts. */
export const addressList = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((parts) => parts.every(isAddressOrRange), {
    error: 'must be addresses or CIDR ranges, separated by commas',
    abort: true,
  })
  .refine(
    (parts) => !parts.some((part) => /\/0+$/.test(part)),
    'must not hold a range of /0: it would believe everybody',
  );
