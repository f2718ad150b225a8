const PROBES = '/health/';

/**
 * Whether a path is that of a health probe. Probes arrive every few seconds from the machine
 * itself, carry no data, and get a response regardless of the load. They are not traced.
 */
export function isProbe(path: string): boolean {
  return path.startsWith(PROBES);
}
