const LOOPBACK =
  /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?|\[?::ffff:127(\.\d{1,3}){3}\]?)$/i;

/** Whether a host's name or address leads to the machine that asks, and so nobody else anywhere. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}
