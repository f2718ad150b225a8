const MAPPED = /^::ffff:(?=\d+\.)/i;

/**
 * Formats an address for display. IPv4-mapped addresses of dual-stack sockets are shown as IPv4.
 */
export function shownAddress(address: string): string {
  return address.replace(MAPPED, '');
}
