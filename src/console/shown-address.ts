const MAPPED = /^::ffff:(?=\d+\.)/i;

/** An address for people: that of IPv4 as such, also where a socket of both has mapped it. */
export function shownAddress(address: string): string {
  return address.replace(MAPPED, '');
}
