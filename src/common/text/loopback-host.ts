const LOOPBACK =
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(\.\d{1,3}){3}\]?)$/i;

/**
 * Whether a host name or address is that of the local machine, so that other machines cannot reach
 * it.
 */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}
