import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { Request } from 'express';

/** Express's own trust function, built from `TRUSTED_PROXIES`. `hop` counts from 0, the socket. */
export type IsTrusted = (address: string, hop: number) => boolean;

const IPV4_WITH_PORT = /^([\d.]+):\d{1,5}$/;
const IPV6_IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/;

/**
 * Returns the client address of a request: the first address, seen from this process, that does not
 * belong to a trusted proxy. Ports that proxies append are ignored. If a trusted proxy forwards
 * something that is not an address, the socket's address is used.
 */
export function clientAddress(request: Request): string {
  const isTrusted = request.app.get('trust proxy fn') as IsTrusted;
  const socketAddress = request.socket.remoteAddress ?? '';
  let address = socketAddress;
  for (const [hop, entry] of forwardedFor(request).entries()) {
    if (!isTrusted(address, hop)) return address;
    const next = addressOf(entry);
    if (next === null) return socketAddress;
    address = next;
  }
  return address;
}

/** Returns the addresses that proxies have added, the last proxy first. */
function forwardedFor({ headers }: Request): string[] {
  const header = headers['x-forwarded-for'];
  const text = typeof header === 'string' ? header : '';
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').reverse();
}

function addressOf(entry: string): string | null {
  if (isIP(entry) !== 0) return entry;
  const ipv4 = IPV4_WITH_PORT.exec(entry)?.[1] ?? '';
  if (isIPv4(ipv4)) return ipv4;
  const ipv6 = IPV6_IN_BRACKETS.exec(entry)?.[1] ?? '';
  return isIPv6(ipv6) ? ipv6 : null;
}
